import type { ChainFacts, Currency, PluginContext } from '@causeway/core';
import type { ChainOptions } from './options.js';

/** The configured currencies; the first is the native coin. */
export function currenciesOf({ id, currencies }: ChainOptions): readonly [Currency, ...Currency[]] {
  const [native, ...others] = currencies.map(
    (one, n): Currency => ({ ...one, chainId: id, isNative: n === 0, verified: true }),
  );
  if (native === undefined) throw new Error('no currency is configured');
  return [native, ...others];
}

/**
 * Static properties of the chain. Adapt all of them:
 *
 * - `vmType`: name of the family, unique in the service.
 * - `guarantees`: what the chain refuses by itself. The kit tests each that is true.
 * - `finalityMs`: upper bound of the time from inclusion to finality.
 * - `messageLifeMs`: set it if transactions expire: longest time from signing to inclusion.
 */
export function chainFacts(
  options: ChainOptions,
  network: PluginContext<unknown>['network'],
  [currency]: readonly [Currency, ...Currency[]],
): ChainFacts {
  const { id, name, displayName, depository, publicRpcUrl, blockTimeMs, finalityBlocks } = options;
  return Object.freeze({
    ...{ id, name, displayName, network, currency, depository, publicRpcUrl, blockTimeMs },
    vmType: 'myvm',
    router: null,
    guarantees: { fillOnce: false, withdrawOnce: false, fillDeadline: false },
    contracts: { depository },
    finalityMs: (finalityBlocks + 1) * blockTimeMs,
    quoteValidityMs: 30_000,
    burnAddresses: [],
    explorerUrl: '',
    explorerName: '',
    explorerPaths: { transaction: '/tx/', address: '/address/', token: '/token/' },
    publicWsUrl: '',
    iconUrl: '',
  });
}
