import type { BlockRef } from '@causeway/core';
import type { Outpoint } from '../funding-key.js';
import type { ServiceScript } from '../watch/scripts.js';

export interface Coin extends Outpoint {
  readonly own: ServiceScript;
  readonly value: bigint;
  /** Null while in the mempool. */
  readonly height: number | null;
  /** Spendable only after 100 blocks. */
  readonly coinbase: boolean;
  /** Id of a mempool spender; null: none known. */
  readonly spentInPool: string | null;
}

export interface Spender {
  readonly txid: string;
  /** Null while in the mempool. */
  readonly block: Pick<BlockRef, 'height' | 'id'> | null;
}

export interface Coins {
  /** Block up to which confirmed outputs are known; undefined before the first reading. */
  readonly at: Pick<BlockRef, 'height' | 'id'> | undefined;
  /** Why outputs are unknown; null while they are known. */
  problem(): string | null;
  /** Oldest first, unconfirmed last. Empty while unknown: see `at`. */
  of(address: string): readonly Coin[];
  /** Undefined also once a block has spent it. */
  get(outpoint: Outpoint): Coin | undefined;
  /**
   * The spender in the mempool or the newest blocks. Undefined proves nothing about blocks at or below
   * `spendersAbove`.
   */
  spender(outpoint: Outpoint): Spender | undefined;
  /** Spenders are known above this height: beyond finality, but not before the first reading. Undefined until then. */
  readonly spendersAbove: number | undefined;
  /** Resolves once the outputs are at this height or above, or the signal aborts. */
  upTo(height: number, signal: AbortSignal): Promise<void>;
  /** Returns the unsubscribe function. */
  onChange(listener: () => void): () => void;
}
