import type { BlockRef, UnixMs } from '@causeway/core';
import { type HeadFeed, type Head as HeadOf, type HeadSource, type Provider, TransportError } from '@causeway/core/rpc';
import { VALID_BLOCKS } from '../position.js';
import { slotTime } from './slot-times.js';

export interface SvmHead {
  readonly height: number;
  readonly id: string;
  readonly timestamp: UnixMs;
  readonly finalized: BlockRef;
  /** Blocks so far; fewer than slots, some of which are empty. Messages expire by it. */
  readonly blockHeight: number;
  readonly blockhash: string;
  /** Block height after which `blockhash` is no longer accepted. */
  readonly lastValidHeight: number;
}

export type Head = HeadOf<SvmHead>;
export type Heads = HeadFeed<SvmHead>;

interface LatestBlockhash {
  readonly value: { readonly blockhash: string; readonly lastValidBlockHeight: number };
}

/** @param watched accounts whose transactions trigger an immediate look. */
export function headSource(watched: readonly string[]): HeadSource<SvmHead> {
  const confirmed = { commitment: 'confirmed' };
  const last = new WeakMap<Provider['rpc'], SvmHead>();
  return {
    // Only the slot is polled; the rest only for a new one.
    async read({ rpc }) {
      const slot = await rpc.request<number>('getSlot', [confirmed]);
      const known = last.get(rpc);
      if (known?.height === slot) return known;
      const head = await readHead(rpc, slot);
      last.set(rpc, head);
      return head;
    },
    topics: {
      requests: [
        { method: 'slotSubscribe', params: [] },
        ...watched.map((account) => ({ method: 'logsSubscribe', params: [{ mentions: [account] }, confirmed] })),
      ],
      read: ({ method }) =>
        method === 'slotNotification' ? 'tick' : method === 'logsNotification' ? 'look' : undefined,
    },
  };
}

async function readHead(rpc: Provider['rpc'], slot: number): Promise<SvmHead> {
  const [final, latest, head] = await Promise.all([
    rpc.request<number>('getSlot', [{ commitment: 'finalized' }]),
    rpc.request<LatestBlockhash>('getLatestBlockhash', [{ commitment: 'confirmed' }]),
    blockAt({ rpc }, slot),
  ]);
  const { blockhash, lastValidBlockHeight } = latest.value;
  if (![slot, final, lastValidBlockHeight].every(Number.isSafeInteger) || typeof blockhash !== 'string') {
    throw new TransportError('a head came back malformed', 'malformed');
  }
  const finalized = await blockAt({ rpc }, final);
  return {
    height: slot,
    id: head.id,
    timestamp: head.timestamp,
    finalized,
    blockHeight: lastValidBlockHeight - VALID_BLOCKS,
    blockhash,
    lastValidHeight: lastValidBlockHeight,
  };
}

/** A slot has at most one block, by one leader, so the slot number names the block. */
export async function blockAt({ rpc }: Pick<Provider, 'rpc'>, slot: number): Promise<BlockRef> {
  return { height: slot, id: slotId(slot), timestamp: (await slotTime(rpc, slot)) * 1_000 };
}

export function slotId(slot: number): string {
  return slot.toString();
}

export function headRef({ height, id, timestamp }: Pick<SvmHead, 'height' | 'id' | 'timestamp'>): BlockRef {
  return { height, id, timestamp };
}
