import type { BlockRef, Hex } from '@causeway/core';
import { type Provider, RpcError, TransportError } from '@causeway/core/rpc';
import type { ChainConfig } from './chain-config.js';
import type { RpcBlock } from './rpc/types.js';
import { quantity } from './rpc/types.js';

export function acceptDepth(finality: ChainConfig['finality'], valueMicroUsd: bigint): number {
  const tier = finality.tiers.find(({ belowMicroUsd }) => valueMicroUsd < belowMicroUsd);
  return tier?.depth ?? finality.depth;
}

/** @throws TransportError for malformed data: finality must never be judged by it. */
export function blockRef(block: RpcBlock): BlockRef {
  const height = Number(block.number);
  const timestamp = Number(block.timestamp) * 1000;
  if (typeof block.hash !== 'string' || !Number.isSafeInteger(height) || !Number.isSafeInteger(timestamp)) {
    throw new TransportError('a block came back malformed', 'malformed');
  }
  return { height, id: block.hash as Hex, timestamp };
}

/** Errors of nodes without the tag; -32602 and -32601 are "invalid params" and "no such method". */
function refusesTag({ code, message }: RpcError): boolean {
  const words =
    /(unknown|unsupported|invalid|unrecognized|not supported).*(finalized|block|tag|argument|param)|hex string/i;
  return code === -32602 || code === -32601 || words.test(message);
}

/** Heads at which a node must give no block, without saying why, to count as one without the tag. */
const HEADS = 3;
const TAGS = new WeakMap<object, 'has' | Set<number>>();

/** No failure of a node that answered the tag once makes non-final blocks final: it may be a restarted backend. */
function lacksTag({ rpc }: Provider, error: RpcError, head: number): boolean {
  const failed = TAGS.get(rpc) ?? new Set<number>();
  // guard: evm-finalized-tag
  if (failed === 'has') return false;
  if (refusesTag(error)) return true;
  if (failed.size < HEADS) TAGS.set(rpc, failed.add(head));
  return failed.size >= HEADS;
}

async function taggedBlock({ rpc }: Provider): Promise<BlockRef> {
  const block = await rpc.request<RpcBlock | null>('eth_getBlockByNumber', ['finalized', false]);
  if (block === null) throw new RpcError('it names no finalized block', 0, undefined);
  const final = blockRef(block);
  TAGS.set(rpc, 'has');
  return final;
}

/**
 * The node's `finalized` block, or the configured depth below the head if it does not know the tag. Genesis is always
 * final.
 *
 * @throws RpcError if a node that knows the tag names no block now; another provider may.
 */
export async function finalizedBlock(
  provider: Provider,
  finality: ChainConfig['finality'],
  headHeight: number,
): Promise<BlockRef> {
  if (finality.useFinalizedTag) {
    try {
      return await taggedBlock(provider);
    } catch (error) {
      if (!(error instanceof RpcError) || !lacksTag(provider, error, headHeight)) throw error;
    }
  }
  const height = Math.max(0, headHeight - finality.depth);
  const block = await provider.rpc.request<RpcBlock | null>('eth_getBlockByNumber', [quantity(height), false]);
  if (block === null) throw new RpcError(`block ${height} not found`, 0, undefined);
  return blockRef(block);
}
