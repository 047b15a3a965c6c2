import type { Clock } from '@causeway/core';

/**
 * What the feed answers, as text. Ends in time.
 *
 * @throws with a message of our own: what `fetch` says may carry the address, and an address may carry a key.
 */
export async function ask(url: string, timeoutMs: number, clock: Clock, leaving: AbortSignal): Promise<string> {
  const over = new AbortController();
  const late = new AbortController();
  void clock.sleep(timeoutMs, over.signal).then(() => late.abort());
  try {
    const response = await fetch(url, { signal: AbortSignal.any([late.signal, leaving]) }).catch(() => undefined);
    if (response === undefined) throw new Error(late.signal.aborted ? 'no answer in time' : 'could not be reached');
    if (!response.ok) throw new Error(`answered ${response.status}`);
    return await response.text().catch(() => {
      throw new Error('the answer broke off');
    });
  } finally {
    over.abort();
  }
}
