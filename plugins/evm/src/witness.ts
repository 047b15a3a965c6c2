import type { BlockRef, Sighting } from '@causeway/core';
import { type Provider, type Providers, RpcError, TransportError } from '@causeway/core/rpc';
import type { ChainConfig } from './chain-config.js';
import type { RpcBlock, RpcReceipt } from './rpc/types.js';
import { quantity } from './rpc/types.js';
import { depositsIn } from './watch/deposit-logs.js';

type Testimony = 'same' | 'different' | 'nothing';

/** Providers that must agree on a deposit of this value. */
export function quorum(config: ChainConfig['quorum'], valueMicroUsd: bigint): number {
  return config !== undefined && valueMicroUsd >= config.aboveMicroUsd ? config.providers : 1;
}

/**
 * Asks every usable provider for each transfer by itself.
 *
 * Invariant: a provider counts only if it has the same block at that height and, in the receipt of the transaction in
 * that block, the same deposit event. One that has another block or another event outweighs any number that agree.
 * What a provider does not have yet, or does not answer, says nothing either way.
 */
export async function witness(
  config: ChainConfig,
  providers: Providers,
  sightings: readonly Sighting[],
): Promise<readonly boolean[]> {
  const asked = providers.usable();
  return Promise.all(
    sightings.map(async (sighting) => {
      const testimonies = await Promise.all(asked.map((provider) => testify(config, providers, provider, sighting)));
      const same = testimonies.filter((one) => one === 'same').length;
      return same >= sighting.providers && !testimonies.includes('different');
    }),
  );
}

async function testify(
  config: ChainConfig,
  providers: Providers,
  provider: Provider,
  sighting: Sighting,
): Promise<Testimony> {
  try {
    const { height, id } = sighting.block;
    const [block, receipt] = await Promise.all([
      provider.rpc.request<RpcBlock | null>('eth_getBlockByNumber', [quantity(height), false]),
      provider.rpc.request<RpcReceipt | null>('eth_getTransactionReceipt', [sighting.transactionHash]),
    ]);
    if (block === null) return 'nothing';
    if (block.hash !== id) return 'different';
    if (receipt === null) return 'nothing';
    return receipt.blockHash === id && tells(config, receipt, sighting) ? 'same' : 'different';
  } catch (error) {
    if (error instanceof TransportError) providers.failed(provider, error);
    else if (!(error instanceof RpcError)) throw error;
    return 'nothing';
  }
}

function tells(config: ChainConfig, receipt: RpcReceipt, sighting: Sighting): boolean {
  if (BigInt(receipt.status) !== 1n) return false;
  const block: BlockRef = { height: sighting.block.height, id: sighting.block.id, timestamp: 0 };
  const told = depositsIn(config, receipt.logs, block).find(({ fundingKey }) => fundingKey === sighting.fundingKey);
  return (
    told !== undefined &&
    told.currency === sighting.currency &&
    told.amount === sighting.amount &&
    told.depositor === sighting.depositor &&
    told.orderId === sighting.orderId
  );
}
