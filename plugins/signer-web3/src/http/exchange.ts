import type { Clock } from '@causeway/core';

export interface Endpoint {
  readonly url: string;
  /** Header. Absent: none. */
  readonly authorization?: string;
  readonly timeoutMs: number;
  readonly clock: Clock;
  readonly stop: AbortSignal;
}

const MAX_BYTES = 2_000_000;

/**
 * One POST, bounded in time and size. Redirects are failures: credentials stay with their host. Errors name no URL and no
 * header.
 */
export async function exchange(
  { url, authorization, timeoutMs, clock, stop }: Endpoint,
  body: string,
): Promise<{ readonly status: number; readonly text: string }> {
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
    if (stop.aborted) throw new Error('stopped');
    const headers = { 'content-type': 'application/json', ...(authorization === undefined ? {} : { authorization }) };
    const response = await fetch(url, { method: 'POST', headers, body, redirect: 'manual', signal: request.signal });
    const text = await boundedText(response);
    if (text === undefined) throw new TooLong();
    return { status: response.status, text };
  } catch (error) {
    if (error instanceof TooLong) throw new Error(`its answer is longer than ${MAX_BYTES} bytes`);
    if (late) throw new Error(`no whole answer within ${timeoutMs} ms`);
    throw new Error(stop.aborted ? 'the service is stopping' : causeOf(error));
  } finally {
    over.abort();
    stop.removeEventListener('abort', abort);
  }
}

class TooLong extends Error {}

/** Undefined when it is longer; the rest is never read. */
async function boundedText(response: Response): Promise<string | undefined> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  const reader = response.body?.getReader();
  for (;;) {
    const part = await reader?.read();
    if (part === undefined || part.done) return Buffer.concat(chunks).toString('utf8');
    size += part.value.byteLength;
    if (size > MAX_BYTES) {
      await reader?.cancel();
      return undefined;
    }
    chunks.push(part.value);
  }
}

function causeOf(error: unknown): string {
  const cause = error instanceof Error ? error.cause : undefined;
  const code = typeof cause === 'object' && cause !== null && 'code' in cause ? cause.code : undefined;
  return typeof code === 'string' ? `the connection failed (${code})` : 'the connection failed';
}
