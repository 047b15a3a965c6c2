import type { ChainFacts, Currency } from '@causeway/core';
import { entryPoint06Address, entryPoint07Address, entryPoint08Address } from 'viem/account-abstraction';

/** At these addresses on every chain that has them. */
const EVERYWHERE: readonly (readonly [string, string])[] = [
  [entryPoint06Address, 'EntryPoint 0.6'],
  [entryPoint07Address, 'EntryPoint 0.7'],
  [entryPoint08Address, 'EntryPoint 0.8'],
  ['0x000000000022D473030F116dDEE9F6B43aC78BA3', 'Permit2'],
  ['0xcA11bde05977b3631167028862bE2a173976CA11', 'Multicall3'],
];

/** Names for explanations, by address in lower case: the service's contracts under the names of the config, tokens by symbol. */
export function contractNames(
  { contracts }: Pick<ChainFacts, 'contracts'>,
  currencies: Iterable<Currency>,
): ReadonlyMap<string, string> {
  return new Map([
    ...EVERYWHERE.map(([address, name]) => [address.toLowerCase(), name] as const),
    ...[...currencies].filter(({ isNative }) => !isNative).map(({ address, symbol }) => [address, symbol] as const),
    ...Object.entries(contracts).map(([name, address]) => [address, name] as const),
  ]);
}
