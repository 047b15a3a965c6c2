import type { Clock } from '../contract/clock.js';

export interface BoundedRequest {
  readonly url: string;
  /** Default: GET. */
  readonly method?: 'GET' | 'POST';
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
  /** Until the whole answer is read. */
  readonly timeoutMs: number;
  readonly maxBytes: number;
  /** The only status whose body is read. Absent: every one. */
  readonly readsOnly?: number;
  readonly clock: Clock;
  readonly stop: AbortSignal;
}

export interface BoundedAnswer {
  readonly status: number;
  readonly headers: Headers;
  /** Undefined: it is longer than `maxBytes`, and the rest was not read; or of a status whose body is not read. */
  readonly text: string | undefined;
}

/** Why there is no answer. Names no URL and no header, which may carry secrets. */
export class NoAnswerError extends Error {
  override readonly name = 'NoAnswerError';
}

/**
 * One request, bounded in time and size. Redirects are answers like others: what the headers carry stays with its host.
 *
 * @throws NoAnswerError
 */
export async function boundedFetch(options: BoundedRequest): Promise<BoundedAnswer> {
  const { url, method = 'GET', headers, body, timeoutMs, maxBytes, readsOnly, clock, stop } = options;
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
    if (stop.aborted) throw new NoAnswerError('stopped');
    const sent = { method, headers, ...(body === undefined ? {} : { body }) };
    const response = await fetch(url, { ...sent, redirect: 'manual', signal: request.signal });
    const { status } = response;
    if (readsOnly !== undefined && status !== readsOnly) {
      await response.body?.cancel();
      return { status, headers: response.headers, text: undefined };
    }
    return { status, headers: response.headers, text: await boundedText(response, maxBytes) };
  } catch (error) {
    if (late) throw new NoAnswerError(`no whole answer within ${timeoutMs} ms`);
    throw new NoAnswerError(stop.aborted ? 'stopped' : causeOf(error));
  } finally {
    over.abort();
    stop.removeEventListener('abort', abort);
  }
}

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

function causeOf(error: unknown): string {
  const cause = error instanceof Error ? error.cause : undefined;
  const code = typeof cause === 'object' && cause !== null && 'code' in cause ? cause.code : undefined;
  return typeof code === 'string' ? code : 'the connection failed';
}
