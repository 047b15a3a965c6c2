import type { Sighting } from '../contract/deposits.js';
import { RpcError, TransportError } from './errors.js';
import type { Provider, ProviderClient, ProviderPool } from './provider-pool.js';

/** What a provider says of a transfer that another one told of; `nothing` where it does not have it yet. */
export type Testimony = 'same' | 'different' | 'nothing';

/** From which value on how many providers must agree on a deposit. */
export interface Quorum {
  /** Millionths of a US dollar. */
  readonly aboveMicroUsd: bigint;
  readonly providers: number;
}

/** Providers that must agree on a deposit of this value. */
export function quorumOf(quorum: Quorum | undefined, valueMicroUsd: bigint): number {
  return quorum !== undefined && valueMicroUsd >= quorum.aboveMicroUsd ? quorum.providers : 1;
}

/**
 * Asks every usable provider for each transfer by itself; see `ChainAdapter.witness`.
 *
 * Invariant: one provider that contradicts outweighs any number that agree; a provider that does not answer does not count.
 *
 * @param testify what a provider has; may throw RpcError and TransportError.
 */
export async function witness<C extends ProviderClient>(
  providers: ProviderPool<C>,
  sightings: readonly Sighting[],
  testify: (provider: Provider<C>, sighting: Sighting) => Promise<Testimony>,
): Promise<readonly boolean[]> {
  const asked = providers.usable();
  const ask = async (provider: Provider<C>, sighting: Sighting): Promise<Testimony> => {
    try {
      return await testify(provider, sighting);
    } catch (error) {
      if (error instanceof TransportError) providers.failed(provider, error);
      else if (!(error instanceof RpcError)) throw error;
      return 'nothing';
    }
  };
  return Promise.all(
    sightings.map(async (sighting) => {
      const testimonies = await Promise.all(asked.map((provider) => ask(provider, sighting)));
      const same = testimonies.filter((one) => one === 'same').length;
      return same >= sighting.providers && !testimonies.includes('different');
    }),
  );
}

/** Whether the sighted transfer is among the transfers that were read. */
export function tells(told: readonly Omit<Sighting, 'block' | 'providers'>[], sighting: Sighting): boolean {
  return told.some(
    ({ fundingKey, currency, amount, depositor, orderId }) =>
      fundingKey === sighting.fundingKey &&
      currency === sighting.currency &&
      amount === sighting.amount &&
      depositor === sighting.depositor &&
      orderId === sighting.orderId,
  );
}
