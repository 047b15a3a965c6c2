import type { Clock, Logger } from '@causeway/core';
import { TransportError } from '@causeway/core/rpc';
import { isHash } from '../addresses.js';
import { getText } from '../http/get-text.js';
import { parseTransaction } from '../raw/transaction.js';
import type { PayerCoin, PayerSource } from './payer-coins.js';

export interface EsploraSettings {
  /** Base URLs in order of preference. They may contain secrets and are never logged. */
  readonly urls: readonly string[];
  readonly timeoutMs: number;
}

interface Explorer {
  readonly url: string;
  /** Number and host: safe to log. */
  readonly name: string;
  /** Deprioritised until then (monotonic). */
  restsUntil: number;
}

/** A failed explorer is queried last for this long. */
const REST_MS = 30_000;

export class Esplora implements PayerSource {
  readonly #explorers: readonly Explorer[];
  readonly #timeoutMs: number;
  readonly #clock: Clock;
  readonly #log: Logger;

  constructor({ urls, timeoutMs }: EsploraSettings, services: { readonly clock: Clock; readonly log: Logger }) {
    this.#explorers = urls.map((url, n) => ({
      url: url.replace(/\/+$/, ''),
      name: `explorer ${n + 1} (${new URL(url).host})`,
      restsUntil: Number.NEGATIVE_INFINITY,
    }));
    this.#timeoutMs = timeoutMs;
    this.#clock = services.clock;
    this.#log = services.log;
  }

  coins(address: string): Promise<readonly PayerCoin[]> {
    return this.#run(async (explorer) => {
      const reported = await this.#get(explorer, `/address/${encodeURIComponent(address)}/utxo`);
      if (reported === undefined) return [];
      return coinsOf(reported, explorer.name);
    });
  }

  transaction(txid: string): Promise<string | undefined> {
    return this.#run(async (explorer) => {
      const hex = (await this.#get(explorer, `/tx/${txid}/hex`))?.trim();
      if (hex === undefined) return undefined;
      if (nameOf(hex) !== txid) throw malformed(explorer.name, 'another transaction than asked for');
      return hex;
    });
  }

  async #run<T>(task: (explorer: Explorer) => Promise<T>): Promise<T> {
    const now = this.#clock.monotonic();
    const [rested, tired] = [
      this.#explorers.filter(({ restsUntil }) => restsUntil <= now),
      this.#explorers.filter(({ restsUntil }) => restsUntil > now),
    ];
    let last: TransportError | undefined;
    for (const explorer of [...rested, ...tired]) {
      try {
        const answer = await task(explorer);
        explorer.restsUntil = Number.NEGATIVE_INFINITY;
        return answer;
      } catch (error) {
        if (!(error instanceof TransportError)) throw error;
        explorer.restsUntil = this.#clock.monotonic() + REST_MS;
        this.#log.warn({ explorer: explorer.name, error: error.message }, 'an explorer does not answer');
        last = error;
      }
    }
    throw last ?? new TransportError('no explorer is configured', 'none');
  }

  #get({ url, name }: Explorer, path: string): Promise<string | undefined> {
    return getText({ url: `${url}${path}`, name, timeoutMs: this.#timeoutMs });
  }
}

function coinsOf(body: string, name: string): readonly PayerCoin[] {
  const list = parsed(body, name);
  if (!Array.isArray(list)) throw malformed(name, 'no list of outputs');
  const seen = new Set<string>();
  return list.map((one: unknown) => {
    const { txid, vout, value, status } = (one ?? {}) as Record<string, unknown>;
    const { confirmed } = (status ?? {}) as { readonly confirmed?: unknown };
    const fits =
      typeof txid === 'string' && isHash(txid) && isCount(vout) && isCount(value) && typeof confirmed === 'boolean';
    if (!fits) throw malformed(name, 'an output that is none');
    if (seen.size === seen.add(`${txid}:${vout}`).size) throw malformed(name, 'an output twice');
    return { txid, vout, value: BigInt(value), confirmed };
  });
}

function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 0;
}

function parsed(body: string, name: string): unknown {
  try {
    return JSON.parse(body);
  } catch {
    throw malformed(name, 'no JSON');
  }
}

function nameOf(hex: string): string | undefined {
  try {
    return parseTransaction(hex).txid;
  } catch {
    return undefined;
  }
}

function malformed(name: string, what: string): TransportError {
  return new TransportError(`${name}: sent ${what}`, 'malformed');
}
