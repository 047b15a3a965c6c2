import type { Sighting } from '../contract/deposits.js';
import { RpcError, TransportError } from './errors.js';
import type { Provider, ProviderClient, ProviderPool } from './provider-pool.js';

/** A provider's answer about a transfer that another reported; `nothing`: not there yet. */
export type Testimony = 'same' | 'different' | 'nothing';

/** Providers that must agree on a deposit, by value. */
export interface Quorum {
  /** Millionths of a US dollar. */
  readonly aboveMicroUsd: bigint;
  readonly providers: number;
}

export function quorumOf(quorum: Quorum | undefined, valueMicroUsd: bigint): number {
  return quorum !== undefined && valueMicroUsd >= quorum.aboveMicroUsd ? quorum.providers : 1;
}

/**
 * Invariant: one contradiction outweighs any number of agreements; a silent provider does not count.
 *
 * @param testify a provider's answer; may throw RpcError and TransportError.
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
  const answers = await Promise.all(
    sightings.map((sighting) => Promise.all(asked.map((provider) => ask(provider, sighting)))),
  );
  note(providers, asked, sightings, answers);
  return sightings.map((sighting, n) => {
    const testimonies = answers[n] ?? [];
    // guard: contradicting-witness
    if (testimonies.includes('different')) return false;
    // guard: enough-witnesses
    return testimonies.filter((one) => one === 'same').length >= sighting.providers;
  });
}

/** @param answers by sighting, then by provider. */
function note<C extends ProviderClient>(
  providers: ProviderPool<C>,
  asked: readonly Provider<C>[],
  sightings: readonly Sighting[],
  answers: readonly (readonly Testimony[])[],
): void {
  for (const [n, provider] of asked.entries()) {
    const said = answers.flatMap((all) => all[n] ?? []);
    const confirmed = sightings.filter((_, which) => answers[which]?.[n] === 'same');
    providers.testified(provider, said, Math.max(-1, ...confirmed.map(({ block }) => block.height)));
  }
}

export function reports(reported: readonly Omit<Sighting, 'block' | 'providers'>[], sighting: Sighting): boolean {
  return reported.some(
    ({ fundingKey, currency, amount, depositor, orderId, sentBy }) =>
      fundingKey === sighting.fundingKey &&
      currency === sighting.currency &&
      amount === sighting.amount &&
      depositor === sighting.depositor &&
      orderId === sighting.orderId &&
      isSentAs(sentBy, sighting.sentBy),
  );
}

/** Where nothing is asked about the sender, nothing rests on it. */
function isSentAs(sent: Sighting['sentBy'], asked: Sighting['sentBy']): boolean {
  // guard: witnessed-sender
  if (asked !== undefined && (sent?.account !== asked.account || sent.nonce !== asked.nonce)) return false;
  return true;
}
