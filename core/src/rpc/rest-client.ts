import { isRateLimited, RpcError, TransportError } from './errors.js';
import type { ExchangeObserver } from './http-client.js';
import { HttpExchange, type HttpExchangeOptions } from './http-exchange.js';

export interface RestClientOptions extends HttpExchangeOptions {
  /** Most requests in flight; the others wait. */
  readonly maxInFlight: number;
  /** Told about every exchange, for metrics: by its method and the first part of its path, which names no account. */
  readonly onExchange?: ExchangeObserver;
}

/** Shared by the clients of one provider that differ in who waits for them. */
interface Places {
  readonly waiting: (() => void)[];
  inFlight: number;
  calls: number;
}

/**
 * JSON over HTTP by paths, as many chains' nodes and indexers speak it. Answers and refusals are told apart as for JSON-RPC, so that
 * `Providers`' failover, `witness` and an adapter's own code need not know which of the two it is.
 */
export class RestClient {
  readonly #options: RestClientOptions;
  readonly #exchange: HttpExchange;
  readonly #places: Places;
  readonly #signal: AbortSignal | undefined;

  /** @param shared another client, whose places are used for what ends with the signal. */
  constructor(options: RestClientOptions, shared?: { readonly places: Places; readonly signal: AbortSignal }) {
    this.#options = options;
    this.#exchange = new HttpExchange(options);
    this.#places = shared?.places ?? { waiting: [], inFlight: 0, calls: 0 };
    this.#signal = shared?.signal;
  }

  /** Requests made so far. */
  get calls(): number {
    return this.#places.calls;
  }

  /** The same client, with its places, for requests that end when the signal aborts. */
  until(signal: AbortSignal): RestClient {
    return new RestClient(this.#options, { places: this.#places, signal });
  }

  /**
   * @param path behind the base, with its query; whatever comes from strangers in it has to be encoded.
   * @returns the body of a 2xx, which is not checked.
   * @throws RpcError where the provider understood and refused: a 4xx whose body is a JSON object, with its status as `code` and its
   *   body as `data`. TransportError where nothing was learnt.
   */
  get<T>(path: string): Promise<T> {
    return this.#ask<T>('GET', path);
  }

  /** @param body JSON text, or what is made into it. Otherwise as `get`. */
  post<T>(path: string, body: string | object): Promise<T> {
    return this.#ask<T>('POST', path, typeof body === 'string' ? body : JSON.stringify(body));
  }

  async #ask<T>(method: 'GET' | 'POST', path: string, body?: string): Promise<T> {
    const places = this.#places;
    places.calls += 1;
    if (places.inFlight >= this.#options.maxInFlight)
      await new Promise<void>((resolve) => {
        places.waiting.push(resolve);
      });
    else places.inFlight += 1;
    const started = performance.now();
    let isAnswered = true;
    try {
      const { status, text } = await this.#exchange.ask(method, path, body, this.#signal);
      return bodyOf<T>(status, text, this.#options.label);
    } catch (error) {
      isAnswered = error instanceof RpcError;
      throw error;
    } finally {
      const next = places.waiting.shift();
      if (next) next();
      else places.inFlight -= 1;
      this.#options.onExchange?.([nameOf(method, path)], performance.now() - started, isAnswered);
    }
  }
}

function nameOf(method: string, path: string): string {
  return `${method} ${/^\/[^/?]*/.exec(path)?.[0] ?? '/'}`;
}

function bodyOf<T>(status: number, text: string, label: string): T {
  const body = parsed(text);
  if (status >= 200 && status < 300 && body !== undefined) return body as T;
  if (status >= 400 && status < 500 && typeof body === 'object' && body !== null) {
    const { message } = body as { readonly message?: unknown };
    const words = typeof message === 'string' ? message : `HTTP status ${status}`;
    if (isRateLimited(status, words)) throw new TransportError(`${label}: ${words}`, 'rate');
    throw new RpcError(words, status, body);
  }
  // An error page of some proxy is no word of a node, and a server's own error says nothing about the question.
  if (status >= 200 && status < 300) throw new TransportError(`${label}: malformed reply`, 'malformed');
  throw new TransportError(`${label}: HTTP status ${status}`, 'http');
}

/** Undefined for what is no JSON. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}
