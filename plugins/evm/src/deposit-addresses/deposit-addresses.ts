import type { DepositAddresses, Hex } from '@causeway/core';
import type { Providers } from '@causeway/core/rpc';
import type { ChainConfig } from '../chain-config.js';
import type { FeeSource } from '../fees.js';
import { forwardersOf } from './forwarder.js';
import { portionsOfBalances, readHeld } from './read-arrived.js';
import { addressSteps } from './steps.js';

/** Deposit addresses of the factory contract. Nothing is deployed at one before its first sweep. */
export function depositAddresses(
  config: ChainConfig,
  factory: Hex,
  fees: FeeSource,
  providers: Providers,
): DepositAddresses {
  const portions = portionsOfBalances();
  return Object.freeze({
    derive: forwardersOf(factory),
    steps: (input) => addressSteps(config, fees, input),
    sweeps: true,
    held: (addresses, currency) =>
      addresses.length === 0
        ? Promise.resolve([])
        : providers.run((provider) => readHeld(provider, factory, addresses, currency, portions)),
  } satisfies DepositAddresses);
}
