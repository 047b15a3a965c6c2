import { CallLine, type HttpClientOptions } from './call-line.js';

export type { ExchangeObserver, HttpClientOptions } from './call-line.js';

/**
 * JSON-RPC over HTTP. A call leaves at once while the provider is idle; under load, waiting calls are
 * combined, so that a burst costs few round trips and a single call none extra.
 *
 * Whatever a provider sends is bounded in time and in bytes. Where a batch is refused, its first call is asked alone: if that
 * is refused as well, so is the batch; if not, the others are asked again in halves, until either they are answered, and
 * batches stay that small for a while, or one call is found that is refused alone, which says nothing about batches.
 */
export class HttpClient {
  readonly #line: CallLine;
  readonly #signal: AbortSignal | undefined;

  /** @param options of a client with places of its own, or the line of another that it shares. */
  constructor(options: HttpClientOptions | CallLine, signal?: AbortSignal) {
    this.#line = options instanceof CallLine ? options : new CallLine(options);
    this.#signal = signal;
  }

  /** Calls made so far, batched ones counted singly. */
  get calls(): number {
    return this.#line.calls;
  }

  /** @throws RpcError when the provider refuses, TransportError when nothing was learnt. */
  request<T>(method: string, params: readonly unknown[] = []): Promise<T> {
    return this.#line.ask(method, params, this.#signal) as Promise<T>;
  }

  /** The same client, with its places, for calls that end when the signal aborts. */
  until(signal: AbortSignal): HttpClient {
    return new HttpClient(this.#line, signal);
  }
}
