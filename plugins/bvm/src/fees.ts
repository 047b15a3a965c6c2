import type { Aged, Clock, Logger, UnixMs } from '@causeway/core';
import { isTransportError, type Providers, RpcError, TransportError } from '@causeway/core/rpc';
import { satoshis } from './rpc/amounts.js';
import { ask, type Node } from './rpc/node.js';

/** Satoshis per 1,000 vbytes. */
export interface FeeRules {
  readonly minRate: bigint;
  readonly maxRate: bigint;
  readonly targetBlocks: number;
  /** Fee rate that a replacement adds for its own size; nodes report theirs. */
  readonly incremental: bigint;
  readonly maxAgeMs: number;
}

/** Coins per 1,000 vbytes. */
interface PoolInfo {
  readonly mempoolminfee: number;
  readonly minrelaytxfee: number;
  /** Newer nodes only. */
  readonly incrementalrelayfee?: number;
}

interface Estimate {
  readonly feerate?: number;
}

/** The mempool changes between blocks. */
const REFRESH_INTERVAL_MS = 15_000;

/**
 * Fee rate, read in the background: the node's estimate, at least the minimum of config and mempool. Nodes have no
 * estimate on a young chain.
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

  /** Undefined before the first sample and once the newest is too old. No I/O. */
  rate(): Aged<bigint> | undefined {
    const rate = this.#rate;
    return rate === undefined || this.#clock.now() - rate.at > this.#rules.maxAgeMs ? undefined : rate;
  }

  /** Per 1,000 vbytes. No I/O. */
  incremental(): bigint {
    return this.#incremental;
  }

  follow(providers: Pick<Providers, 'runSurely'>): () => void {
    return this.#clock.every(REFRESH_INTERVAL_MS, () => void this.refresh(providers));
  }

  /** Never rejects: the age of a stale rate is visible. */
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
      const reported = pool.incrementalrelayfee === undefined ? 0n : satoshis(pool.incrementalrelayfee);
      this.#incremental = reported > incremental ? reported : incremental;
    } catch (error) {
      throw error instanceof RangeError ? new TransportError(error.message, 'malformed') : error;
    }
  }
}
