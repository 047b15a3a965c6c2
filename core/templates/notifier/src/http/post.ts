import type { Clock } from '@causeway/core';

/** What is sent. */
export interface Sent {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** What came of it. `why` is our own text: what `fetch` says may carry the address, and an address may carry a key. */
export type Answer =
  | { readonly ok: true; readonly status: number; readonly retryAfter: string | null; readonly body: string }
  | { readonly ok: false; readonly why: string };

const MAX_BODY = 1_024;

/** One exchange, which ends in time and leaves no connection behind. Never rejects. */
export async function post(url: string, sent: Sent, timeoutMs: number, clock: Clock): Promise<Answer> {
  const over = new AbortController();
  const late = new AbortController();
  void clock.sleep(timeoutMs, over.signal).then(() => late.abort());
  try {
    const response = await fetch(url, { method: 'POST', ...sent, redirect: 'manual', signal: late.signal });
    const body = (await response.text()).slice(0, MAX_BODY);
    return { ok: true, status: response.status, retryAfter: response.headers.get('retry-after'), body };
  } catch {
    return { ok: false, why: late.signal.aborted ? `no answer within ${timeoutMs} ms` : 'could not be reached' };
  } finally {
    over.abort();
  }
}
