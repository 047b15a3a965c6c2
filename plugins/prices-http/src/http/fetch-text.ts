import type { Clock } from '@causeway/core';

export interface FetchOptions {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly timeoutMs: number;
  readonly maxBytes: number;
  readonly clock: Clock;
  readonly stop: AbortSignal;
}

export type Fetched =
  | { readonly ok: true; readonly text: string }
  | {
      readonly ok: false;
      /** `refused`: the request itself (4xx); `throttled`: too many requests; `failed`: anything else. */
      readonly kind: 'refused' | 'throttled' | 'failed';
      /** Never a URL, which may carry keys. */
      readonly why: string;
      readonly retryAfterMs?: number;
    };

/**
 * A GET with bounded time and size. Redirects are failures: headers may carry keys, which must stay with their host.
 */
export async function fetchText(options: FetchOptions): Promise<Fetched> {
  const { url, headers, timeoutMs, maxBytes, clock, stop } = options;
  const request = new AbortController();
  const over = new AbortController();
  const abort = (): void => request.abort();
  stop.addEventListener('abort', abort, { once: true });
  let late = false;
  void clock.sleep(timeoutMs, over.signal).then(() => {
    if (over.signal.aborted) return;
    late = true;
    request.abort();
  });
  try {
    if (stop.aborted) return { ok: false, kind: 'failed', why: 'stopped' };
    const response = await fetch(url, { headers, redirect: 'manual', signal: request.signal });
    if (response.status !== 200) {
      await response.body?.cancel();
      return refusal(response);
    }
    const text = await boundedText(response, maxBytes);
    if (text === undefined) return { ok: false, kind: 'failed', why: `the answer is longer than ${maxBytes} bytes` };
    return { ok: true, text };
  } catch (error) {
    if (late) return { ok: false, kind: 'failed', why: `no whole answer within ${timeoutMs} ms` };
    return { ok: false, kind: 'failed', why: stop.aborted ? 'stopped' : causeOf(error) };
  } finally {
    over.abort();
    stop.removeEventListener('abort', abort);
  }
}

/** Undefined when it is longer; the rest is never read. */
async function boundedText(response: Response, maxBytes: number): Promise<string | undefined> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  const reader = response.body?.getReader();
  for (;;) {
    const part = await reader?.read();
    if (part === undefined || part.done) return Buffer.concat(chunks).toString('utf8');
    size += part.value.byteLength;
    if (size > maxBytes) {
      await reader?.cancel();
      return undefined;
    }
    chunks.push(part.value);
  }
}

function refusal(response: Response): Fetched {
  const { status } = response;
  const why = `it answers with status ${status}`;
  const seconds = Number(response.headers.get('retry-after') ?? Number.NaN);
  const after = Number.isFinite(seconds) && seconds > 0 ? { retryAfterMs: seconds * 1000 } : {};
  // 418: one exchange's answer to clients that ignore its 429.
  if (status === 429 || status === 418 || status === 503) return { ok: false, kind: 'throttled', why, ...after };
  const refused = status === 400 || status === 404 || status === 422;
  return { ok: false, kind: refused ? 'refused' : 'failed', why };
}

function causeOf(error: unknown): string {
  const cause = error instanceof Error ? error.cause : undefined;
  const code = typeof cause === 'object' && cause !== null && 'code' in cause ? cause.code : undefined;
  return typeof code === 'string' ? code : 'the connection failed';
}
