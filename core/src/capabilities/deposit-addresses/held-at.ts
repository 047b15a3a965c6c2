import type { ChainAdapter } from '../../contract/chain-adapter.js';
import type { Currency } from '../../contract/currency.js';

export interface HeldNow {
  readonly currency: Currency;
  /** At the head, smallest unit; null: the chain did not answer. */
  readonly balance: bigint | null;
}

/** Balances of an address in each currency of its chain. Never rejects. */
export async function heldAt(chain: ChainAdapter, address: string): Promise<readonly HeldNow[]> {
  const { depositAddresses } = chain.capabilities;
  return Promise.all(
    chain.currencies().map(async (currency) => {
      const held = depositAddresses?.held([address], currency.address) ?? Promise.resolve([0n]);
      return { currency, balance: await held.then(([balance]) => balance ?? 0n).catch(() => null) };
    }),
  );
}
