import type { Clock } from '@causeway/core';
import {
  type ExchangeObserver,
  isTransportError,
  type ProviderClient,
  RpcError,
  TransportError,
} from '@causeway/core/rpc';
import { Places } from './places.js';

export interface ToncenterSettings {
  /** The whole endpoint, `…/api/v2/jsonRPC`. Credentials in it are sent as a header. */
  readonly url: string;
  readonly label: string;
  readonly apiKey?: string;
  readonly timeoutMs: number;
  /** Requests per second; 0: no limit. Excess requests wait. */
  readonly perSecond: number;
  readonly onExchange: ExchangeObserver;
  readonly clock: Clock;
  /** Of a client for questions that third parties choose. Absent: that of the money path. */
  readonly apart?: Apart;
}

export interface Apart {
  readonly maxInFlight: number;
  readonly maxBodyBytes: number;
}

/** Several times the largest page of transactions. */
export const MAX_BYTES = 16 * 1024 * 1024;
/** Key, payment or access refused: says nothing about the question. */
const UNWELCOME: ReadonlySet<number> = new Set([401, 402, 403, 407]);
/** HTTP statuses of one that took the question and failed at it, perhaps because of what was asked. */
const FAILED_AT_IT: ReadonlySet<number> = new Set([408, 500, 504, 524]);
/** Errors of a node that has no connection, or not the block: another one may answer. */
const CUT_OFF = /LITE_SERVER_(NETWORK|NOTREADY)|not applied|no live|cannot connect|adnl/i;
/** Errors of a node that took too long: another one may answer. */
const TOO_SLOW = /timeout|timed out/i;

/** Up to this rate, requests that can wait are not sent. */
const KEYLESS_CALLS_PER_SECOND = 5;
/** Pause after the first throttled request, and the maximum. */
const FIRST_BACKOFF_MS = 1_000;
const LAST_BACKOFF_MS = 30_000;
/** After this time a request of third parties counts as answered. */
const MAX_HELD_MS = 1_000;
/** Timers may fire early by this much. */
const EARLY_MS = 2;

/** Nothing shows that the question reached a node with the chain's state, where code could run for it. */
export class Unreached extends TransportError {}

/** Shared by the clients of a provider, which limits all requests together. */
export interface Pace {
  nextAt: number;
  /** End times of the newest requests, oldest first, one second's worth. */
  readonly ends: Promise<number>[];
  backoffMs: number;
  refusedUntil: number;
  calls: number;
}

export const newPace = (): Pace => ({ nextAt: 0, ends: [], backoffMs: 0, refusedUntil: 0, calls: 0 });

/**
 * One toncenter v2 provider. It has no batches, and sends errors as text next to `ok: false` under any status, so
 * core's clients do not fit.
 *
 * RpcError: an answer about the question. TransportError: nothing was learnt.
 */
export class Toncenter implements ProviderClient {
  readonly #settings: ToncenterSettings;
  readonly #origin: string;
  readonly #headers: Readonly<Record<string, string>>;
  readonly #pace: Pace;
  readonly #places: Places;
  readonly #onCall: (() => void) | undefined;

  constructor(
    settings: ToncenterSettings,
    pace = newPace(),
    places = new Places(settings.apart?.maxInFlight ?? Number.POSITIVE_INFINITY),
    onCall?: () => void,
  ) {
    this.#settings = settings;
    this.#pace = pace;
    this.#places = places;
    this.#onCall = onCall;
    const url = new URL(settings.url);
    const headers: Record<string, string> = { 'content-type': 'application/json', 'user-agent': 'causeway' };
    if (settings.apiKey !== undefined) headers['x-api-key'] = settings.apiKey;
    if (url.username !== '' || url.password !== '') {
      const pair = `${decodeURIComponent(url.username)}:${decodeURIComponent(url.password)}`;
      headers['authorization'] = `Basic ${Buffer.from(pair).toString('base64')}`;
      url.username = '';
      url.password = '';
    }
    this.#origin = url.href;
    this.#headers = headers;
  }

  get calls(): number {
    return this.#pace.calls;
  }

  counting(onCall: () => void): Toncenter {
    return new Toncenter(this.#settings, this.#pace, this.#places, onCall);
  }

  get isScarce(): boolean {
    const { perSecond } = this.#settings;
    return perSecond > 0 && perSecond <= KEYLESS_CALLS_PER_SECOND;
  }

  /** @throws RpcError, TransportError */
  async call<T>(method: string, params: object = {}): Promise<T> {
    this.#pace.calls += 1;
    this.#onCall?.();
    return await this.#places.take(() => this.#call<T>(method, params));
  }

  async #call<T>(method: string, params: object): Promise<T> {
    const ended = await this.#turn();
    const started = performance.now();
    let isAnswered = false;
    try {
      const result = await this.#ask<T>(method, params);
      isAnswered = true;
      return result;
    } catch (error) {
      isAnswered = !isTransportError(error);
      throw error;
    } finally {
      ended();
      this.#settings.onExchange([method], performance.now() - started, isAnswered);
    }
  }

  /**
   * Requests leave at even distances, and none before the request one second's worth earlier was answered a second
   * ago, so that no second has more of them at the provider, whatever the latency. Those of third parties count as
   * answered soon: code that they run for seconds must not hold up payments for as long.
   *
   * @returns a function to call when the exchange is over.
   */
  async #turn(): Promise<() => void> {
    const { perSecond, clock, apart } = this.#settings;
    const until = async (at: number) => {
      const ms = at - clock.monotonic();
      if (ms > 0) await clock.sleep(ms);
    };
    let ended: () => void = () => undefined;
    if (perSecond > 0) {
      const now = clock.monotonic();
      const at = Math.max(now, this.#pace.nextAt);
      this.#pace.nextAt = at + 1_000 / perSecond;
      const most = Math.max(1, Math.floor(perSecond));
      const before = this.#pace.ends.length >= most ? this.#pace.ends.shift() : undefined;
      this.#pace.ends.push(
        new Promise((resolve) => {
          ended = () => resolve(clock.monotonic());
        }),
      );
      await until(at);
      if (before !== undefined) await until((await before) + (most * 1_000) / perSecond + EARLY_MS);
    }
    await until(this.#pace.refusedUntil);
    if (apart !== undefined) void clock.sleep(MAX_HELD_MS).then(ended);
    return ended;
  }

  /** Consecutive refusals lengthen the pause, or the provider's Retry-After applies. */
  #backOff(retryAfter: string | null): void {
    this.#pace.backoffMs = Math.min(Math.max(FIRST_BACKOFF_MS, this.#pace.backoffMs * 2), LAST_BACKOFF_MS);
    const wished = Number(retryAfter ?? Number.NaN) * 1_000;
    const ms = wished > 0 ? Math.min(wished, LAST_BACKOFF_MS) : this.#pace.backoffMs;
    this.#pace.refusedUntil = Math.max(this.#pace.refusedUntil, this.#settings.clock.monotonic() + ms);
  }

  async #ask<T>(method: string, params: object): Promise<T> {
    const { label, timeoutMs } = this.#settings;
    const { status, text, retryAfter } = await this.#exchange(
      JSON.stringify({ id: '1', jsonrpc: '2.0', method, params }),
    );
    if (status === 429) {
      this.#backOff(retryAfter);
      throw new TransportError(`${label}: throttled (429)`, 'rate');
    }
    this.#pace.backoffMs = 0;
    if (UNWELCOME.has(status)) throw new Unreached(`${label}: HTTP status ${status}`, 'http');
    const body = objectOf(text);
    // None of the methods used returns an empty result, so an empty one is an error.
    if (body?.['ok'] === true && (body['result'] ?? undefined) !== undefined) return body['result'] as T;
    const words = body?.['error'] ?? body?.['result'];
    if (body?.['ok'] !== false || typeof words !== 'string') {
      const why = `${label}: HTTP status ${status} after ${timeoutMs} ms at most`;
      throw status >= 400 && !FAILED_AT_IT.has(status) ? new Unreached(why, 'http') : new TransportError(why, 'http');
    }
    if (CUT_OFF.test(words)) throw new Unreached(`${label}: ${words}`, 'malformed');
    if (TOO_SLOW.test(words)) throw new TransportError(`${label}: ${words}`, 'malformed');
    throw new RpcError(words, status, body);
  }

  async #exchange(body: string): Promise<Exchanged> {
    const { label, timeoutMs, apart } = this.#settings;
    const signal = AbortSignal.timeout(timeoutMs);
    let isAnswering = false;
    try {
      const response = await fetch(this.#origin, {
        ...{ method: 'POST', headers: this.#headers, body, signal },
        redirect: 'error',
      });
      isAnswering = true;
      const retryAfter = response.headers.get('retry-after');
      return {
        status: response.status,
        retryAfter,
        text: await textOf(response, label, apart?.maxBodyBytes ?? MAX_BYTES),
      };
    } catch (error) {
      if (error instanceof TransportError) throw error;
      if (signal.aborted) throw new TransportError(`${label}: no answer within ${timeoutMs} ms`, 'timeout');
      const why = `${label}: ${causeOf(error)}`;
      throw isAnswering ? new TransportError(why, 'network') : new Unreached(why, 'network');
    }
  }
}

interface Exchanged {
  readonly status: number;
  readonly retryAfter: string | null;
  readonly text: string;
}

async function textOf({ body }: Response, label: string, most: number): Promise<string> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of body ?? []) {
    size += chunk.length;
    if (size > most) throw new TransportError(`${label}: an answer of more than ${most} bytes`, 'tooLarge');
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

function objectOf(text: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const body: unknown = JSON.parse(text);
    return typeof body === 'object' && body !== null ? (body as Record<string, unknown>) : undefined;
  } catch {
    return undefined;
  }
}

function causeOf(error: unknown): string {
  const cause = error instanceof Error ? error.cause : undefined;
  return cause instanceof Error && 'code' in cause && typeof cause.code === 'string' ? cause.code : 'connection failed';
}
