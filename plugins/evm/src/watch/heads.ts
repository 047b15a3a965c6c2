import type { BlockRef, Hex, UnixMs } from '@causeway/core';
import type { HeadFeed, Head as HeadOf, HeadSource } from '@causeway/core/rpc';
import { blockRef } from '../finality.js';
import type { RpcBlock } from '../rpc/types.js';

export interface EvmHead {
  readonly height: number;
  readonly id: Hex;
  readonly parentHash: Hex;
  readonly timestamp: UnixMs;
  readonly baseFee: bigint | null;
  readonly logsBloom: Hex | undefined;
  /** The block reports no transactions. False also if unknown. */
  readonly empty: boolean;
}

export type Head = HeadOf<EvmHead>;
export type Heads = HeadFeed<EvmHead>;

export const headSource: HeadSource<EvmHead> = {
  read: async (provider) => {
    const block = await provider.rpc.request<RpcBlock | null>('eth_getBlockByNumber', ['latest', false]);
    return block === null ? null : headOf(block);
  },
  topics: {
    requests: [{ method: 'eth_subscribe', params: ['newHeads'] }],
    read: ({ method, params }) => {
      const block = params?.result as Partial<RpcBlock> | undefined;
      if (method !== 'eth_subscription' || block === undefined) return undefined;
      return typeof block.hash === 'string' && typeof block.number === 'string' ? headOf(block as RpcBlock) : undefined;
    },
  },
};

export function headRef({ height, id, timestamp }: Pick<EvmHead, 'height' | 'id' | 'timestamp'>): BlockRef {
  return { height, id, timestamp };
}

function headOf(block: RpcBlock): EvmHead {
  const { height, timestamp } = blockRef(block);
  return {
    height,
    id: block.hash,
    parentHash: block.parentHash,
    timestamp,
    baseFee: block.baseFeePerGas === undefined ? null : BigInt(block.baseFeePerGas),
    logsBloom: block.logsBloom,
    empty: block.gasUsed !== undefined && BigInt(block.gasUsed) === 0n,
  };
}
