import type { Currency } from '../contract/currency.js';

/**
 * Finds what is kept for a currency under `<chain id>:<currency address>`, else under its asset group. Never under its
 * symbol, which anybody may call a token. Names are compared without case.
 */
export function byAssetName<T>(entries: Iterable<readonly [string, T]>): (currency: Currency) => T | undefined {
  const known = new Map([...entries].map(([name, item]) => [name.toLowerCase(), item]));
  return ({ chainId, address, group }) =>
    known.get(`${chainId}:${address}`.toLowerCase()) ?? known.get(group.toLowerCase());
}
