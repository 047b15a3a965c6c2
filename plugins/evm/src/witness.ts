import type { Sighting } from '@causeway/core';
import { type Provider, type Testimony, tells } from '@causeway/core/rpc';
import type { ChainConfig } from './chain-config.js';
import type { RpcBlock, RpcReceipt } from './rpc/types.js';
import { quantity } from './rpc/types.js';
import { depositsIn } from './watch/deposit-logs.js';

/**
 * Invariant: a provider has the same only where it has the same block at that height and, in the receipt of the transaction
 * in that block, the same deposit event.
 */
export async function testify(config: ChainConfig, { rpc }: Provider, sighting: Sighting): Promise<Testimony> {
  const { height, id } = sighting.block;
  const [block, receipt] = await Promise.all([
    rpc.request<RpcBlock | null>('eth_getBlockByNumber', [quantity(height), false]),
    rpc.request<RpcReceipt | null>('eth_getTransactionReceipt', [sighting.transactionHash]),
  ]);
  if (block === null) return 'nothing';
  if (block.hash !== id) return 'different';
  if (receipt === null) return 'nothing';
  if (receipt.blockHash !== id || BigInt(receipt.status) !== 1n) return 'different';
  return tells(depositsIn(config, receipt.logs, { height, id, timestamp: 0 }), sighting) ? 'same' : 'different';
}
