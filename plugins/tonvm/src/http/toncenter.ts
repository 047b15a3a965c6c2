import type { Clock } from '@causeway/core';
import {
  type ExchangeObserver,
  isTransportError,
  type ProviderClient,
  RpcError,
  TransportError,
} from '@causeway/core/rpc';

export interface ToncenterSettings {
  /** The whole endpoint, `…/api/v2/jsonRPC`. Credentials in it travel as a header. */
  readonly url: string;
  /** Name for errors and logs; never the URL. */
  readonly label: string;
  /** Sent as `X-API-Key`. */
  readonly apiKey?: string;
  readonly timeoutMs: number;
  /** Most requests in a second; 0: no limit. Those beyond it wait their turn. */
  readonly perSecond: number;
  readonly onExchange: ExchangeObserver;
  readonly clock: Clock;
}

/** Several times the largest page of transactions. */
const MOST_BYTES = 16 * 1024 * 1024;
/** No key, no subscription, not allowed: the answer says nothing about the question. */
const UNWELCOME: ReadonlySet<number> = new Set([401, 402, 403, 407]);
/** Words of a node that could not answer, whatever the question: another one may. */
const SILENT = /LITE_SERVER_(NETWORK|NOTREADY)|timeout|timed out|not applied|no live|cannot connect|adnl/i;

/**
 * One provider of the toncenter v2 API, asked by JSON-RPC with parameters by name. It knows no batches, and answers errors as text
 * beside `ok: false` under any status, so the clients of core do not fit.
 *
 * RpcError is the provider's word about the question; TransportError says that nothing was learnt.
 */
export class Toncenter implements ProviderClient {
  readonly #settings: ToncenterSettings;
  readonly #origin: string;
  readonly #headers: Readonly<Record<string, string>>;
  #nextAt = 0;
  calls = 0;

  constructor(settings: ToncenterSettings) {
    this.#settings = settings;
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

  /** @throws RpcError, TransportError */
  async call<T>(method: string, params: object = {}): Promise<T> {
    this.calls += 1;
    await this.#turn();
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
      this.#settings.onExchange([method], performance.now() - started, isAnswered);
    }
  }

  /** Requests leave at even distances, so that a burst costs time and never an answer. */
  async #turn(): Promise<void> {
    const { perSecond, clock } = this.#settings;
    if (perSecond <= 0) return;
    const now = clock.monotonic();
    const at = Math.max(now, this.#nextAt);
    this.#nextAt = at + 1_000 / perSecond;
    if (at > now) await clock.sleep(at - now);
  }

  async #ask<T>(method: string, params: object): Promise<T> {
    const { label, timeoutMs } = this.#settings;
    const { status, text } = await this.#exchange(JSON.stringify({ id: '1', jsonrpc: '2.0', method, params }));
    if (status === 429) throw new TransportError(`${label}: throttled (429)`, 'rate');
    if (UNWELCOME.has(status)) throw new TransportError(`${label}: HTTP status ${status}`, 'http');
    const body = objectOf(text);
    if (body?.['ok'] === true && 'result' in body) return body['result'] as T;
    const words = body?.['error'] ?? body?.['result'];
    if (body?.['ok'] !== false || typeof words !== 'string')
      throw new TransportError(`${label}: HTTP status ${status} after ${timeoutMs} ms at most`, 'http');
    if (SILENT.test(words)) throw new TransportError(`${label}: ${words}`, 'malformed');
    throw new RpcError(words, status, body);
  }

  async #exchange(body: string): Promise<{ readonly status: number; readonly text: string }> {
    const { label, timeoutMs } = this.#settings;
    const signal = AbortSignal.timeout(timeoutMs);
    try {
      const response = await fetch(this.#origin, {
        ...{ method: 'POST', headers: this.#headers, body, signal },
        redirect: 'error',
      });
      return { status: response.status, text: await textOf(response, label) };
    } catch (error) {
      if (error instanceof TransportError) throw error;
      if (signal.aborted) throw new TransportError(`${label}: no answer within ${timeoutMs} ms`, 'timeout');
      throw new TransportError(`${label}: ${causeOf(error)}`, 'network');
    }
  }
}

async function textOf({ body }: Response, label: string): Promise<string> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of body ?? []) {
    size += chunk.length;
    if (size > MOST_BYTES) throw new TransportError(`${label}: an answer of more than ${MOST_BYTES} bytes`, 'tooLarge');
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
