import { BatchSize } from './batch-size.js';
import { type RpcError, TransportError } from './errors.js';
import { HttpExchange, type HttpExchangeOptions } from './http-exchange.js';
import { type CallResult, isSameRefusal, refusalOf, resultsOf } from './replies.js';

export interface HttpClientOptions extends HttpExchangeOptions {
  readonly maxInFlight: number;
  /** 1 for providers without batching. */
  readonly maxBatch: number;
  readonly onExchange?: ExchangeObserver;
}

/** Calls of an exchange by method, its duration, and whether it was answered. For metrics. */
export type ExchangeObserver = (calls: readonly string[], ms: number, ok: boolean) => void;

interface Call {
  readonly method: string;
  readonly params: readonly unknown[];
  readonly resolve: (value: unknown) => void;
  readonly reject: (error: Error) => void;
  /** Largest batch it may join: half of the last refused one. Halving ensures that retries end. */
  within: number;
  readonly signal: AbortSignal | undefined;
  refused?: { readonly error: RpcError | TransportError; readonly size: number };
}

export class CallLine {
  readonly #options: HttpClientOptions;
  readonly #exchange: HttpExchange;
  readonly #queue: Call[] = [];
  readonly #size: BatchSize;
  #inFlight = 0;
  #scheduled = false;
  #nextId = 1;
  calls = 0;

  constructor(options: HttpClientOptions) {
    this.#options = options;
    this.#size = new BatchSize(options.maxBatch);
    this.#exchange = new HttpExchange(options);
  }

  ask(method: string, params: readonly unknown[], signal: AbortSignal | undefined): Promise<unknown> {
    this.calls += 1;
    return new Promise((resolve, reject) => {
      const within = Number.POSITIVE_INFINITY;
      if (signal === undefined) this.#queue.push({ method, params, resolve, reject, within, signal });
      else this.#queue.push(this.#leaving({ method, params, resolve, reject, within, signal }, signal));
      this.#schedule();
    });
  }

  #leaving(call: Call, signal: AbortSignal): Call {
    const leave = (): void => {
      const at = this.#queue.indexOf(asked);
      if (at >= 0) this.#queue.splice(at, 1);
      call.reject(new TransportError(`${this.#options.label}: no caller waits for it`, 'unwanted'));
    };
    const stay = (): void => signal.removeEventListener('abort', leave);
    const asked: Call = {
      ...call,
      resolve(value) {
        stay();
        call.resolve(value);
      },
      reject(error) {
        stay();
        call.reject(error);
      },
    };
    if (signal.aborted) queueMicrotask(leave);
    else signal.addEventListener('abort', leave, { once: true });
    return asked;
  }

  #schedule(): void {
    if (this.#scheduled) return;
    this.#scheduled = true;
    // One microtask: calls made together leave together.
    queueMicrotask(() => {
      this.#scheduled = false;
      this.#flush();
    });
  }

  #flush(): void {
    while (this.#queue.length > 0 && this.#inFlight < this.#options.maxInFlight) {
      const calls = this.#next();
      this.#inFlight += 1;
      void this.#answer(calls).finally(() => {
        this.#inFlight -= 1;
        this.#flush();
      });
    }
  }

  #next(): readonly Call[] {
    let most = this.#size.now;
    let taken = 0;
    for (const { within } of this.#queue) {
      most = Math.min(most, within);
      if (taken >= most) break;
      taken += 1;
    }
    return this.#queue.splice(0, taken);
  }

  async #answer(calls: readonly Call[]): Promise<void> {
    const results = await this.#post(calls);
    const refusal = refusalOf(results);
    if (refusal === undefined) return this.#settle(calls, results);
    if (calls.length === 1) return this.#refuse(calls, refusal);
    const failure = refusal instanceof TransportError ? refusal.failure : undefined;
    if (failure !== 'timeout' && failure !== 'unwanted') return this.#askSmaller(calls, refusal);
    // The callers waited long enough; a smaller batch may be answered in time.
    if (failure === 'timeout') this.#size.refused(calls.length);
    this.#refuse(calls, refusal);
  }

  async #askSmaller(calls: readonly Call[], refusal: RpcError | TransportError): Promise<void> {
    const [first, ...others] = calls as readonly [Call, ...Call[]];
    const size = this.#size.now;
    const results = await this.#post([first]);
    const error = refusalOf(results);
    const isOversized = error instanceof TransportError && error.failure === 'tooLarge';
    if (error === undefined) this.#settle([first], results);
    else this.#refuse([first], error);
    const isUnanswered = error instanceof TransportError && !isOversized;
    if (isUnanswered || (error !== undefined && isSameRefusal(error, refusal) && !isOversized))
      return this.#refuse(others, refusal);
    if (!isOversized) this.#size.refused(calls.length);
    for (const call of others) call.refused ??= { error: refusal, size };
    this.#again(others, calls.length >> 1);
  }

  #settle(calls: readonly Call[], results: readonly CallResult[]): void {
    const missing: Call[] = [];
    results.forEach((result, n) => {
      const call = calls[n] as Call;
      if (result.is === 'value') call.resolve(result.value);
      else if (result.is === 'error') call.reject(result.error);
      else missing.push(call);
    });
    const answered = calls.length - missing.length;
    if (missing.length === 0) return this.#size.answered(answered);
    // The provider answers only this many per batch.
    this.#size.atMost(answered);
    this.#again(missing, answered);
  }

  #refuse(calls: readonly Call[], error: RpcError | TransportError): void {
    for (const { refused, reject } of calls) {
      if (calls.length === 1 && refused !== undefined && isSameRefusal(refused.error, error))
        this.#size.restore(refused.size);
      reject(error);
    }
  }

  #again(calls: readonly Call[], within: number): void {
    for (const call of calls) call.within = within;
    this.#queue.unshift(...calls);
  }

  async #post(calls: readonly Call[]): Promise<readonly CallResult[]> {
    const first = this.#nextId;
    this.#nextId += calls.length;
    const started = performance.now();
    const payload = calls.map(({ method, params }, n) => ({ jsonrpc: '2.0', id: first + n, method, params }));
    try {
      const body = JSON.stringify(payload.length === 1 ? payload[0] : payload);
      const answer = await this.#exchange.ask('POST', '', body, untilUnused(calls));
      const results = resultsOf(answer, first, calls.length, this.#options.label);
      this.#report(calls, started, true);
      return results;
    } catch (error) {
      this.#report(calls, started, false);
      return calls.map(() => ({ is: 'error', error: error as TransportError }));
    }
  }

  #report(calls: readonly Call[], started: number, ok: boolean): void {
    const { onExchange } = this.#options;
    if (onExchange === undefined) return;
    const names = calls.map(({ method }) => method);
    onExchange(names, performance.now() - started, ok);
  }
}

function untilUnused(calls: readonly Call[]): AbortSignal | undefined {
  const signals = new Set(calls.map(({ signal }) => signal));
  if (signals.size === 1) return calls[0]?.signal;
  if (signals.has(undefined)) return undefined;
  const over = new AbortController();
  let left = signals.size;
  for (const signal of signals as Set<AbortSignal>) {
    const leave = (): void => {
      left -= 1;
      if (left === 0) over.abort();
    };
    if (signal.aborted) leave();
    else signal.addEventListener('abort', leave, { once: true });
  }
  return over.signal;
}
