import type { Clock } from '@causeway/core';

/**
 * Returns the body of the feed's response within `timeoutMs`.
 *
 * @throws with a fixed message: an error message of `fetch` may contain the URL, and a URL may contain a key.
 */
export async function ask(url: string, timeoutMs: number, clock: Clock, stopping: AbortSignal): Promise<string> {
  const over = new AbortController();
  const late = new AbortController();
  void clock.sleep(timeoutMs, over.signal).then(() => late.abort());
  try {
    const response = await fetch(url, { signal: AbortSignal.any([late.signal, stopping]) }).catch(() => undefined);
    if (response === undefined) throw new Error(late.signal.aborted ? 'no answer in time' : 'could not be reached');
    if (!response.ok) throw new Error(`answered ${response.status}`);
    return await response.text().catch(() => {
      throw new Error('the response was incomplete');
    });
  } finally {
    over.abort();
  }
}
