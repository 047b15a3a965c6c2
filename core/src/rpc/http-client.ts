import { CallLine, type HttpClientOptions } from './call-line.js';

export type { ExchangeObserver, HttpClientOptions } from './call-line.js';

/**
 * JSON-RPC over HTTP, bounded in time and bytes. A call leaves at once while the provider is idle; under load,
 * waiting calls are batched.
 *
 * If a batch is refused, its first call is sent alone. If that is refused too, so is the batch; otherwise the rest is
 * retried in halves, until answered (the next batches then stay small) or one call is refused alone.
 */
export class HttpClient {
  readonly #line: CallLine;
  readonly #signal: AbortSignal | undefined;
  readonly #onCall: (() => void) | undefined;

  /** @param options of a new client, or the line of another to share. */
  constructor(options: HttpClientOptions | CallLine, signal?: AbortSignal, onCall?: () => void) {
    this.#line = options instanceof CallLine ? options : new CallLine(options);
    this.#signal = signal;
    this.#onCall = onCall;
  }

  get calls(): number {
    return this.#line.calls;
  }

  /** @throws RpcError when the provider refuses, TransportError when nothing was learnt. */
  request<T>(method: string, params: readonly unknown[] = []): Promise<T> {
    this.#onCall?.();
    return this.#line.ask(method, params, this.#signal) as Promise<T>;
  }

  until(signal: AbortSignal): HttpClient {
    return new HttpClient(this.#line, signal, this.#onCall);
  }

  counting(onCall: () => void): HttpClient {
    return new HttpClient(this.#line, this.#signal, onCall);
  }
}
