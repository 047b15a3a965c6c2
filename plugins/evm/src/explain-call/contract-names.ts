import type { ChainFacts, Currency } from '@causeway/core';

/** At these addresses on every chain that has them. */
const EVERYWHERE: readonly (readonly [string, string])[] = [
  ['0x5FF137D4b0FDCD49DcA30c7CF57E578a026d2789', 'EntryPoint 0.6'],
  ['0x0000000071727De22E5E9d8BAf0edAc6f37da032', 'EntryPoint 0.7'],
  ['0x4337084D9E255Ff0702461CF8895CE9E3b5Ff108', 'EntryPoint 0.8'],
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
