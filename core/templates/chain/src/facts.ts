import type { ChainFacts, Currency, PluginContext } from '@causeway/core';
import type { ChainOptions } from './options.js';

/** The configured currencies; the first one is the native coin. */
export function currenciesOf({ id, currencies }: ChainOptions): readonly [Currency, ...Currency[]] {
  const [native, ...others] = currencies.map(
    (one, n): Currency => ({ ...one, chainId: id, isNative: n === 0, verified: true }),
  );
  if (native === undefined) throw new Error('no currency is configured');
  return [native, ...others];
}

/**
 * Static facts. Look through all of them: `vmType` names the family, by a word of its own, `guarantees` say what the chain itself refuses (and
 * the kit holds you to each), `finalityMs` bounds how long it takes until nothing is replaced, `messageLifeMs` is there where
 * transactions run out.
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
