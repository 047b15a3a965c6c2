import { isRateLimited, RpcError, TransportError } from './errors.js';
import type { ExchangeObserver } from './http-client.js';
import { HttpExchange, type HttpExchangeOptions } from './http-exchange.js';

export interface RestClientOptions extends HttpExchangeOptions {
  readonly maxInFlight: number;
  /** By method and first path segment, which names no account. */
  readonly onExchange?: ExchangeObserver;
}

interface Places {
  readonly waiting: (() => void)[];
  inFlight: number;
  calls: number;
}

/** Errors have the classes of JSON-RPC, so that failover, `witness` and adapters treat both alike. */
export class RestClient {
  readonly #options: RestClientOptions;
  readonly #exchange: HttpExchange;
  readonly #places: Places;
  readonly #signal: AbortSignal | undefined;

  /** @param shared places of another client, for requests that end with the signal. */
  constructor(options: RestClientOptions, shared?: { readonly places: Places; readonly signal: AbortSignal }) {
    this.#options = options;
    this.#exchange = new HttpExchange(options);
    this.#places = shared?.places ?? { waiting: [], inFlight: 0, calls: 0 };
    this.#signal = shared?.signal;
  }

  get calls(): number {
    return this.#places.calls;
  }

  until(signal: AbortSignal): RestClient {
    return new RestClient(this.#options, { places: this.#places, signal });
  }

  /**
   * @param path relative to the base, with its query; external values must be encoded.
   * @returns the body of a 2xx, unchecked.
   * @throws RpcError for a 4xx with a JSON object body (`code`: status, `data`: body), TransportError when nothing
   * was learnt.
   */
  get<T>(path: string): Promise<T> {
    return this.#ask<T>('GET', path);
  }

  /** @param body JSON text, or a value to serialise. Otherwise as `get`. */
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
  // A proxy's error page is no node's response, and a 5xx says nothing about the question.
  if (status >= 200 && status < 300) throw new TransportError(`${label}: malformed reply`, 'malformed');
  throw new TransportError(`${label}: HTTP status ${status}`, 'http');
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}
