import type { Clock } from '@causeway/core';

/** Headers and body of an HTTP request. */
export interface Sent {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** Result of one HTTP request. `why` never contains an error message of `fetch`: that may contain the URL, and a URL may contain a key. */
export type Answer =
  | { readonly ok: true; readonly status: number; readonly retryAfter: string | null; readonly body: string }
  | { readonly ok: false; readonly why: string };

const MAX_BODY = 1_024;

/** Sends one request and reads the response within `timeoutMs`. Never rejects; leaves no open connection. */
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
