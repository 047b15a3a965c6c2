import type { BlockRef, UnixMs } from '@causeway/core';
import { type HeadFeed, type Head as HeadOf, type HeadSource, type Provider, TransportError } from '@causeway/core/rpc';
import { ask, blockHash, header, type Node, type NodeHeader, ViewMoved } from '../rpc/node.js';

/** The newest block. */
export interface BvmHead {
  readonly height: number;
  /** Name, as displayed. */
  readonly id: string;
  readonly parentId: string | undefined;
  /**
   * The chain's own clock: the median time of eleven blocks, by which it judges lock times. It never goes back, and no
   * single miner can set it ahead, as each may its own block by two hours.
   */
  readonly timestamp: UnixMs;
  /** The newest block that is as deep as finality asks; the first block of a chain that is younger. */
  readonly finalized: BlockRef;
}

export type Head = HeadOf<BvmHead>;
export type Heads = HeadFeed<BvmHead>;

/**
 * Polls the newest block. Nodes of this family have no websocket; what they publish otherwise wakes the feed from outside.
 *
 * @param depth blocks that follow a final one.
 */
export function headSource(depth: number): HeadSource<BvmHead> {
  // Asked again and again: the same answer costs one call.
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
 * A block of the node's chain by its height.
 *
 * @param clock `median`: the chain's own time then. `header`: what the miner says, as records show it.
 * @throws ViewMoved
 */
export async function blockAt(node: Node, height: number, clock: 'median' | 'header'): Promise<BlockRef> {
  const id = await blockHash(node, height);
  const told = id === undefined ? undefined : await header(node, id);
  if (id === undefined || told === undefined) throw new ViewMoved(`block ${height} is not there any more`);
  return { height, id, timestamp: timeOf(told, clock) };
}

export function timeOf({ time, mediantime }: NodeHeader, clock: 'median' | 'header'): UnixMs {
  return (clock === 'median' ? mediantime : time) * 1000;
}

export function headRef({ height, id, timestamp }: Pick<BvmHead, 'height' | 'id' | 'timestamp'>): BlockRef {
  return { height, id, timestamp };
}
