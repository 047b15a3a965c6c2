import { ask, type HttpAnswer, type HttpRequest, LateError, TooLargeError, UnwantedError } from './ask.js';
import { TransportError } from './errors.js';

export interface HttpExchangeOptions {
  /** Base of paths. Credentials in it travel as a header. */
  readonly url: string;
  /** Name for errors and logs; never the URL, which may carry credentials. */
  readonly label: string;
  readonly timeoutMs: number;
  /** Default: 32 MiB. */
  readonly maxBodyBytes?: number;
}

/** Several times the largest block of any family, as text. */
const MAX_ANSWER_BYTES = 32 * 1024 * 1024;

/** Missing key, subscription or permission: no answer to the question. */
const ACCESS_REFUSED: ReadonlySet<number> = new Set([401, 402, 403, 407]);

export class HttpExchange {
  readonly #options: HttpExchangeOptions;
  readonly #base: Pick<HttpRequest, 'origin' | 'headers'> & { readonly path: string; readonly query: string };

  constructor(options: HttpExchangeOptions) {
    this.#options = options;
    const url = new URL(options.url);
    const headers: Record<string, string> = { 'content-type': 'application/json', 'user-agent': 'causeway' };
    // Credentials travel as a header: a URL may end up in an error's text.
    if (url.username !== '' || url.password !== '') {
      const pair = `${decodeURIComponent(url.username)}:${decodeURIComponent(url.password)}`;
      headers['authorization'] = `Basic ${Buffer.from(pair).toString('base64')}`;
    }
    this.#base = { origin: url.origin, path: url.pathname, query: url.search.slice(1), headers };
  }

  /**
   * @param path appended to the base's path, with its own query; empty: the base itself.
   * @returns the answer of any status except refusals of service.
   * @throws TransportError when nothing was learnt.
   */
  async ask(method: HttpRequest['method'], path: string, body?: string, signal?: AbortSignal): Promise<HttpAnswer> {
    const { label } = this.#options;
    const { origin, headers } = this.#base;
    const request = { method, origin, path: this.#pathOf(path), headers, ...(body === undefined ? {} : { body }) };
    const answer = await this.#answerTo(request, signal);
    if (answer.status === 429) throw new TransportError(`${label}: throttled (429)`, 'rate');
    // The status says that this provider denies access; another may not, so the body is ignored.
    if (ACCESS_REFUSED.has(answer.status)) throw new TransportError(`${label}: HTTP status ${answer.status}`, 'http');
    return answer;
  }

  #pathOf(path: string): string {
    const [own = '', query = ''] = path.split('?');
    const whole = path === '' ? this.#base.path : this.#base.path.replace(/\/$/, '') + own;
    const queries = [this.#base.query, query].filter((one) => one !== '').join('&');
    return queries === '' ? whole : `${whole}?${queries}`;
  }

  async #answerTo(request: HttpRequest, signal: AbortSignal | undefined): Promise<HttpAnswer> {
    const { label, timeoutMs, maxBodyBytes: mostBytes = MAX_ANSWER_BYTES } = this.#options;
    try {
      return await ask(request, { timeoutMs, mostBytes, ...(signal && { signal }) });
    } catch (error) {
      if (error instanceof TooLargeError)
        throw new TransportError(`${label}: an answer of more than ${mostBytes} bytes`, 'tooLarge');
      if (error instanceof UnwantedError) throw new TransportError(`${label}: no caller waits for it`, 'unwanted');
      if (error instanceof LateError) throw new TransportError(`${label}: no answer within ${timeoutMs} ms`, 'timeout');
      throw new TransportError(`${label}: ${networkCause(error)}`, 'network');
    }
  }
}

function networkCause(error: unknown): string {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : 'connection failed';
}
