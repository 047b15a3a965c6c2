import type { Aged, Clock, Logger, UnixMs } from '@causeway/core';
import { isTransportError, type Providers, RpcError, TransportError } from '@causeway/core/rpc';
import { satoshis } from './rpc/amounts.js';
import { ask, type Node } from './rpc/node.js';

/** Satoshis per 1,000 vbytes. */
export interface FeeRules {
  /** Least that is offered, whatever nodes estimate. */
  readonly minRate: bigint;
  /** Most that is ever offered. */
  readonly maxRate: bigint;
  /** Blocks within which a transaction should be included. */
  readonly targetBlocks: number;
  /** Added to the rate of a transaction for its own size when it replaces another one; nodes tell theirs. */
  readonly incremental: bigint;
  readonly maxAgeMs: number;
}

/** What a node's pool asks for at least. Coins per 1,000 vbytes. */
interface PoolInfo {
  readonly mempoolminfee: number;
  readonly minrelaytxfee: number;
  /** Newer nodes tell. */
  readonly incrementalrelayfee?: number;
}

interface Estimate {
  readonly feerate?: number;
}

/** Blocks come by the minute, and what waits for them changes meanwhile. */
const EVERY_MS = 15_000;

/**
 * What a transaction has to offer, read in the background. Nodes estimate from what they saw, and know nothing on a young
 * chain: then, and where they estimate less, it is the least that config and pool ask for.
 */
export class FeeRates {
  readonly #rules: FeeRules;
  readonly #clock: Clock;
  readonly #log: Logger;
  #rate: Aged<bigint> | undefined;
  #incremental: bigint;

  constructor(rules: FeeRules, services: { readonly clock: Clock; readonly log: Logger }) {
    this.#rules = rules;
    this.#clock = services.clock;
    this.#log = services.log;
    this.#incremental = rules.incremental;
  }

  get rules(): FeeRules {
    return this.#rules;
  }

  /** What is offered now; undefined before the first sample and when the newest one is too old. Warm. */
  rate(): Aged<bigint> | undefined {
    const rate = this.#rate;
    return rate === undefined || this.#clock.now() - rate.at > this.#rules.maxAgeMs ? undefined : rate;
  }

  /** What a replacement pays on top for its own size, per 1,000 vbytes. Warm. */
  incremental(): bigint {
    return this.#incremental;
  }

  /** Keeps the rate warm. Returns a function that ends it. */
  follow(providers: Pick<Providers, 'runSurely'>): () => void {
    return this.#clock.every(EVERY_MS, () => void this.refresh(providers));
  }

  /** Rejects never: an old rate shows its age. */
  async refresh(providers: Pick<Providers, 'runSurely'>): Promise<void> {
    try {
      await providers.runSurely('fees', (node) => this.#sample(node));
    } catch (error) {
      if (!isTransportError(error) && !(error instanceof RpcError)) throw error;
      this.#log.debug({ err: error }, 'fee rates not available');
    }
  }

  async #sample(node: Node): Promise<void> {
    try {
      const [pool, estimate] = await Promise.all([
        ask<PoolInfo>(node, 'getmempoolinfo'),
        ask<Estimate>(node, 'estimatesmartfee', [this.#rules.targetBlocks, 'ECONOMICAL']),
      ]);
      const floors = [pool.mempoolminfee, pool.minrelaytxfee].map(satoshis);
      const estimated = estimate.feerate === undefined ? 0n : satoshis(estimate.feerate);
      const wanted = [this.#rules.minRate, estimated, ...floors].reduce((most, one) => (one > most ? one : most));
      const { maxRate, incremental } = this.#rules;
      this.#rate = { value: wanted < maxRate ? wanted : maxRate, at: this.#clock.now() satisfies UnixMs };
      const told = pool.incrementalrelayfee === undefined ? 0n : satoshis(pool.incrementalrelayfee);
      this.#incremental = told > incremental ? told : incremental;
    } catch (error) {
      throw error instanceof RangeError ? new TransportError(error.message, 'malformed') : error;
    }
  }
}
