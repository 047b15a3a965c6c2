import { type BoundedRequest, boundedFetch, NoAnswerError } from '@causeway/core/http';

export type FetchOptions = Omit<BoundedRequest, 'method' | 'body' | 'readsOnly'>;

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
  try {
    const { status, headers, text } = await boundedFetch({ ...options, readsOnly: 200 });
    if (status !== 200) return refusal(status, headers);
    if (text === undefined)
      return { ok: false, kind: 'failed', why: `the answer is longer than ${options.maxBytes} bytes` };
    return { ok: true, text };
  } catch (error) {
    if (error instanceof NoAnswerError) return { ok: false, kind: 'failed', why: error.message };
    throw error;
  }
}

function refusal(status: number, headers: Headers): Fetched {
  const why = `it answers with status ${status}`;
  const seconds = Number(headers.get('retry-after') ?? Number.NaN);
  const after = Number.isFinite(seconds) && seconds > 0 ? { retryAfterMs: seconds * 1000 } : {};
  // 418: one exchange's answer to clients that ignore its 429.
  if (status === 429 || status === 418 || status === 503) return { ok: false, kind: 'throttled', why, ...after };
  const refused = status === 400 || status === 404 || status === 422;
  return { ok: false, kind: refused ? 'refused' : 'failed', why };
}
