import type { DepositAddresses } from '@causeway/core';
import type { Providers } from '@causeway/core/rpc';
import { AMOUNT_SLICE, amountIn, fetchAccounts, isTokenAccount } from '../accounts.js';
import { isNative } from '../addresses.js';
import type { DepositTarget } from '../deposits.js';
import { deriveAccount } from '../token-accounts.js';
import type { AddressKeys } from './address-keys.js';
import { addressSteps } from './steps.js';

interface CapabilityDeps {
  readonly keys: AddressKeys;
  readonly target: DepositTarget;
  readonly providers: Pick<Providers, 'run'>;
}

/** Each address is the account of its own key. It holds coins itself, and tokens in its associated accounts. */
export function depositAddresses({ keys, target, providers }: CapabilityDeps): DepositAddresses {
  return Object.freeze({
    derive: (salt) => keys.signer(salt).address,
    steps: (input) => addressSteps(target, input),
    sweeps: true,
    held: async (addresses, currency) => {
      if (addresses.length === 0) return [];
      const program = target.tokenOf(currency)?.program;
      if (program === undefined && !isNative(currency)) throw new Error(`no currency ${currency}`);
      const accounts =
        program === undefined ? addresses : addresses.map((address) => deriveAccount(currency, address, program));
      const found = await providers.run(({ rpc }) => fetchAccounts(rpc, accounts, AMOUNT_SLICE));
      return found.map((one) => {
        if (program === undefined) return one?.lamports ?? 0n;
        return isTokenAccount(one, program) ? amountIn(one) : 0n;
      });
    },
  } satisfies DepositAddresses);
}
