import { isRateLimited, RpcError, TransportError } from './errors.js';
import { HttpExchange, type HttpExchangeOptions } from './http-exchange.js';

export interface HttpClientOptions extends HttpExchangeOptions {
  /** Most HTTP requests in flight; calls beyond it wait and leave together as one batch. */
  readonly maxInFlight: number;
  /** Most calls per batch; 1 for providers without batching. */
  readonly maxBatch: number;
  /** Told about every exchange, for metrics. */
  readonly onExchange?: ExchangeObserver;
}

/** Told of the calls of an exchange by their names, how long it took, and whether it was answered. */
export type ExchangeObserver = (calls: readonly string[], ms: number, ok: boolean) => void;

interface Call {
  readonly method: string;
  readonly params: readonly unknown[];
  readonly resolve: (value: unknown) => void;
  readonly reject: (error: Error) => void;
}

interface Reply {
  readonly id?: unknown;
  readonly result?: unknown;
  readonly error?: { readonly code?: unknown; readonly message?: unknown; readonly data?: unknown };
}

/**
 * JSON-RPC over HTTP. A call leaves at once while the provider is idle; under load, waiting calls are
 * combined, so that a burst costs few round trips and a single call none extra.
 *
 * Whatever a provider sends is bounded in time and in bytes. A batch whose answer is too large has learnt nothing; later
 * ones have half as many calls, down to one.
 */
export class HttpClient {
  readonly #options: HttpClientOptions;
  readonly #exchange: HttpExchange;
  readonly #queue: Call[] = [];
  #inFlight = 0;
  #mostCalls: number;
  #scheduled = false;
  #nextId = 1;
  /** Calls made so far, batched ones counted singly. */
  calls = 0;

  constructor(options: HttpClientOptions) {
    this.#options = options;
    this.#mostCalls = options.maxBatch;
    this.#exchange = new HttpExchange(options);
  }

  /** @throws RpcError when the provider refuses, TransportError when nothing was learnt. */
  request<T>(method: string, params: readonly unknown[] = []): Promise<T> {
    this.calls += 1;
    return new Promise<T>((resolve, reject) => {
      this.#queue.push({ method, params, resolve: resolve as (value: unknown) => void, reject });
      this.#schedule();
    });
  }

  #schedule(): void {
    if (this.#scheduled) return;
    this.#scheduled = true;
    // One microtask: calls made together by one piece of code leave together.
    queueMicrotask(() => {
      this.#scheduled = false;
      this.#flush();
    });
  }

  #flush(): void {
    while (this.#queue.length > 0 && this.#inFlight < this.#options.maxInFlight) {
      const calls = this.#queue.splice(0, this.#mostCalls);
      this.#inFlight += 1;
      void this.#post(calls).finally(() => {
        this.#inFlight -= 1;
        this.#flush();
      });
    }
  }

  async #post(calls: readonly Call[]): Promise<void> {
    const first = this.#nextId;
    this.#nextId += calls.length;
    const started = performance.now();
    const report = (ok: boolean): void => {
      const { onExchange } = this.#options;
      if (onExchange === undefined) return;
      onExchange(
        calls.map(({ method }) => method),
        performance.now() - started,
        ok,
      );
    };
    const payload = calls.map(({ method, params }, n) => ({ jsonrpc: '2.0', id: first + n, method, params }));
    try {
      const replies = await this.#replies(JSON.stringify(payload.length === 1 ? payload[0] : payload));
      const byId = new Map(replies.map((reply) => [reply.id, reply]));
      const alone = replies.length === 1 ? replies[0] : undefined;
      calls.forEach((call, n) => {
        // A refusal of a whole batch comes as one error object without an id.
        const reply = byId.get(first + n) ?? (alone?.error ? alone : undefined);
        settle(call, reply, this.#options.label);
      });
      report(true);
    } catch (error) {
      report(false);
      if (error instanceof TransportError && error.failure === 'tooLarge')
        this.#mostCalls = Math.max(1, Math.min(this.#mostCalls, Math.floor(calls.length / 2)));
      for (const call of calls) call.reject(error as Error);
    }
  }

  async #replies(body: string): Promise<readonly Reply[]> {
    const { status, text } = await this.#exchange.ask('POST', '', body);
    return parseReplies(text, status, this.#options.label);
  }
}

function settle(call: Call, reply: Reply | undefined, label: string): void {
  if (reply === undefined) return call.reject(new TransportError(`${label}: reply missing`, 'malformed'));
  if (reply.error !== undefined && reply.error !== null) {
    const code = typeof reply.error.code === 'number' ? reply.error.code : 0;
    const message = typeof reply.error.message === 'string' ? reply.error.message : 'an error without a message';
    if (isRateLimited(code, message)) return call.reject(new TransportError(`${label}: ${message}`, 'rate'));
    return call.reject(new RpcError(message, code, reply.error.data));
  }
  if (!('result' in reply)) return call.reject(new TransportError(`${label}: reply without result`, 'malformed'));
  return call.resolve(reply.result);
}

/** Some providers send JSON-RPC errors under a 4xx or 5xx status: the body decides, the status only where there is none. */
function parseReplies(text: string, status: number, label: string): readonly Reply[] {
  try {
    const parsed: unknown = JSON.parse(text);
    const list = Array.isArray(parsed) ? parsed : [parsed];
    if (list.every((entry) => typeof entry === 'object' && entry !== null && ('result' in entry || 'error' in entry))) {
      if (status < 500 || list.some((entry) => 'result' in entry)) return list as readonly Reply[];
    }
  } catch {
    // Judged below: an unreadable body is a transport failure whatever the status says.
  }
  if (status !== 200) throw new TransportError(`${label}: HTTP status ${status}`, 'http');
  throw new TransportError(`${label}: malformed reply`, 'malformed');
}
