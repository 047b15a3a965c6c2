import type { Sighting } from '@causeway/core';
import { type Provider, type Providers, RpcError, TransportError } from '@causeway/core/rpc';
import type { ChainConfig } from './chain-config.js';
import { blockHash, transaction, ViewMoved } from './rpc/node.js';
import { prevouts } from './rpc/prevouts.js';
import { type DepositReading, readDeposits } from './watch/read-deposits.js';

type Testimony = 'same' | 'different' | 'nothing';

/** Providers that must agree on a deposit of this value. */
export function quorum(config: ChainConfig['quorum'], valueMicroUsd: bigint): number {
  return config !== undefined && valueMicroUsd >= config.aboveMicroUsd ? config.providers : 1;
}

/**
 * Asks every usable provider for each transfer by itself. One that has another block at that height, or not this transfer in
 * it, outweighs any number that agree; what a provider does not have yet says nothing.
 */
export async function witness(
  reading: DepositReading,
  providers: Providers,
  sightings: readonly Sighting[],
): Promise<readonly boolean[]> {
  const asked = providers.usable();
  return Promise.all(
    sightings.map(async (sighting) => {
      const testimonies = await Promise.all(asked.map((provider) => testify(reading, providers, provider, sighting)));
      const same = testimonies.filter((one) => one === 'same').length;
      return same >= sighting.providers && !testimonies.includes('different');
    }),
  );
}

async function testify(
  reading: DepositReading,
  providers: Providers,
  provider: Provider,
  sighting: Sighting,
): Promise<Testimony> {
  try {
    const { height, id } = sighting.block;
    const there = await blockHash(provider, height);
    if (there === undefined) return 'nothing';
    if (there !== id) return 'different';
    const tx = await transaction(provider, sighting.transactionHash, id);
    if (tx === undefined) return 'different';
    const block = { height, id, timestamp: 0 };
    const told = readDeposits(reading, tx, await prevouts(provider, tx, id), { state: 'included', block });
    return told.some((one) => isSame(one, sighting)) ? 'same' : 'different';
  } catch (error) {
    if (error instanceof TransportError) providers.failed(provider, error);
    else if (!(error instanceof RpcError || error instanceof ViewMoved)) throw error;
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
