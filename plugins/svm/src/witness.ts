import type { Sighting } from '@causeway/core';
import { type Provider, type Providers, RpcError, TransportError } from '@causeway/core/rpc';
import type { ChainConfig } from './chain-config.js';
import { fetchTransaction } from './transactions/fetch.js';
import { readTransaction } from './transactions/read.js';
import { slotId } from './watch/heads.js';
import { readDeposits, type Vault } from './watch/read-deposits.js';

type Testimony = 'same' | 'different' | 'nothing';

/** Providers that must agree on a deposit of this value. */
export function quorum(config: ChainConfig['quorum'], valueMicroUsd: bigint): number {
  return config !== undefined && valueMicroUsd >= config.aboveMicroUsd ? config.providers : 1;
}

/**
 * Asks every usable provider for each transfer by itself. One that has the transaction in another slot, or that reads
 * another transfer in it, outweighs any number that agree; what a provider does not have yet says nothing.
 */
export async function witness(
  vault: Vault,
  providers: Providers,
  sightings: readonly Sighting[],
): Promise<readonly boolean[]> {
  const asked = providers.usable();
  return Promise.all(
    sightings.map(async (sighting) => {
      const testimonies = await Promise.all(asked.map((provider) => testify(vault, providers, provider, sighting)));
      const same = testimonies.filter((one) => one === 'same').length;
      return same >= sighting.providers && !testimonies.includes('different');
    }),
  );
}

async function testify(vault: Vault, providers: Providers, provider: Provider, sighting: Sighting): Promise<Testimony> {
  try {
    const raw = await fetchTransaction(provider.rpc, sighting.transactionHash);
    if (raw === undefined) return 'nothing';
    const { height, id } = sighting.block;
    const block = { height, id, timestamp: 0 };
    const told = readDeposits(vault, readTransaction(raw), 'included', block);
    const there = raw.slot === height && id === slotId(raw.slot);
    return there && told.some((one) => isSame(one, sighting)) ? 'same' : 'different';
  } catch (error) {
    if (error instanceof TransportError) providers.failed(provider, error);
    else if (!(error instanceof RpcError)) throw error;
    return 'nothing';
  }
}

function isSame(told: Omit<Sighting, 'block' | 'providers'>, sighting: Sighting): boolean {
  return (
    told.fundingKey === sighting.fundingKey &&
    told.currency === sighting.currency &&
    told.amount === sighting.amount &&
    told.depositor === sighting.depositor &&
    told.orderId === sighting.orderId
  );
}
