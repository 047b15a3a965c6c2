import type { BlockRef, UnixMs } from '@causeway/core';
import { type HeadFeed, type Head as HeadOf, type HeadSource, type Provider, TransportError } from '@causeway/core/rpc';
import { ask, blockHash, header, type Node, type NodeHeader, ViewMoved } from '../rpc/node.js';

export interface BvmHead {
  readonly height: number;
  readonly id: string;
  readonly parentId: string | undefined;
  /**
   * Median time past (11 blocks), by which lock times are judged. It never decreases, while a miner can date its
   * block two hours ahead.
   */
  readonly timestamp: UnixMs;
  /** At finality depth; genesis on a younger chain. */
  readonly finalized: BlockRef;
}

export type Head = HeadOf<BvmHead>;
export type Heads = HeadFeed<BvmHead>;

/**
 * Polling only; other node notifications wake the feed from outside.
 *
 * @param depth blocks that follow a final one.
 */
export function headSource(depth: number): HeadSource<BvmHead> {
  const known = new WeakMap<object, BvmHead>();
  return {
    read: async (provider) => {
      const id = await ask<string>(provider, 'getbestblockhash');
      const before = known.get(provider.rpc);
      if (before?.id === id) return before;
      const head = await readHead(provider, id, depth);
      known.set(provider.rpc, head);
      return head;
    },
    topics: { requests: [], read: () => undefined },
  };
}

async function readHead(provider: Provider, id: string, depth: number): Promise<BvmHead> {
  const newest = await header(provider, id);
  if (newest === undefined) throw new TransportError(`the head ${id} is not there any more`, 'malformed');
  const { height, previousblockhash, mediantime } = newest;
  const timestamp = mediantime * 1000;
  const finalized =
    depth === 0 ? { height, id, timestamp } : await blockAt(provider, Math.max(0, height - depth), 'median');
  return { height, id, parentId: previousblockhash, timestamp, finalized };
}

/**
 * @param clock `median`: median time past. `header`: the miner's time, as records show it.
 * @throws ViewMoved
 */
export async function blockAt(node: Node, height: number, clock: 'median' | 'header'): Promise<BlockRef> {
  const id = await blockHash(node, height);
  const reported = id === undefined ? undefined : await header(node, id);
  if (id === undefined || reported === undefined) throw new ViewMoved(`block ${height} is not there any more`);
  return { height, id, timestamp: timeOf(reported, clock) };
}

export function timeOf({ time, mediantime }: NodeHeader, clock: 'median' | 'header'): UnixMs {
  return (clock === 'median' ? mediantime : time) * 1000;
}

export function headRef({ height, id, timestamp }: Pick<BvmHead, 'height' | 'id' | 'timestamp'>): BlockRef {
  return { height, id, timestamp };
}
