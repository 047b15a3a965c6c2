import type { BlockRef } from '@causeway/core';
import type { Outpoint } from '../funding-key.js';
import type { OwnScript } from '../watch/scripts.js';

/** An output that pays one of our scripts and that no block has spent. */
export interface Coin extends Outpoint {
  readonly own: OwnScript;
  /** Satoshis. */
  readonly value: bigint;
  /** Height of the block that has it; null while its transaction waits in a pool. */
  readonly height: number | null;
  /** It is new money, which cannot be spent before a hundred blocks followed. */
  readonly coinbase: boolean;
  /** Name of the transaction in the pool that spends it; null while none is known. */
  readonly spentInPool: string | null;
}

/** What spent an output of ours. */
export interface Spender {
  readonly txid: string;
  /** Null while it waits in a pool. */
  readonly block: Pick<BlockRef, 'height' | 'id'> | null;
}

/** All outputs of ours, confirmed and not, kept by following the chain and its pool. */
export interface Coins {
  /** The block of which the confirmed ones are true; undefined until they were read for the first time. */
  readonly at: Pick<BlockRef, 'height' | 'id'> | undefined;
  /** Why they are not known; null while they are. */
  problem(): string | null;
  /** Those of one address, oldest first; unconfirmed ones at the end. Empty while they are not known: see `at`. */
  of(address: string): readonly Coin[];
  /** An output of ours by its outpoint; undefined also for an output that a block has spent. */
  get(outpoint: Outpoint): Coin | undefined;
  /**
   * What spends an output of ours in the pool, or spent it in one of the newest blocks. Undefined says nothing about blocks
   * that are not above `spendersAbove`.
   */
  spender(outpoint: Outpoint): Spender | undefined;
  /**
   * Height of the block that what is told of spenders begins behind: as far back as finality asks, and some more, but no
   * further than where outputs were read. Undefined until then.
   */
  readonly spendersAbove: number | undefined;
  /** Resolves once they are true of a block at this height or above, or the signal aborts. */
  upTo(height: number, signal: AbortSignal): Promise<void>;
  /** Called after each change; returns how to stop that. */
  onChange(listener: () => void): () => void;
}
