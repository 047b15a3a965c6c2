import { accountOf } from '../../addresses.js';
import { readAccount, type TonProvider } from '../../chain/read.js';
import { heldBy, type Jetton, walletAddress } from '../../jettons.js';
import type { AddressWatch } from './address-watch.js';

interface HeldDeps {
  readonly provider: TonProvider;
  /** Height below which an answer does not count. */
  readonly floor: number;
  readonly known: AddressWatch | undefined;
}

/**
 * Balances of deposit addresses, in order; smallest unit. One request for each account that was touched since its last
 * reading.
 *
 * @param jetton undefined: coins. @throws TransportError
 */
export async function readHeld(
  { provider, floor, known }: HeldDeps,
  addresses: readonly string[],
  jetton: Jetton | undefined,
): Promise<readonly bigint[]> {
  const held: bigint[] = [];
  for (const address of addresses) {
    const owner = accountOf(address).toRawString();
    const raw = jetton ? walletAddress(jetton, owner) : owner;
    const value = known?.heldAt(raw, floor);
    if (value !== undefined) {
      held.push(value);
      continue;
    }
    const account = await readAccount(provider, raw, floor);
    known?.note(account);
    held.push(jetton ? heldBy(jetton.layout, account.data) : account.balance);
  }
  return held;
}
