import type { Currency } from '../contract/currency.js';

/**
 * By `<chain id>:<currency address>`, else by asset group; never by symbol, which anyone can give a token.
 * Case-insensitive.
 */
export function byAssetName<T>(entries: Iterable<readonly [string, T]>): (currency: Currency) => T | undefined {
  const known = new Map([...entries].map(([name, item]) => [name.toLowerCase(), item]));
  return ({ chainId, address, group }) =>
    known.get(`${chainId}:${address}`.toLowerCase()) ?? known.get(group.toLowerCase());
}
