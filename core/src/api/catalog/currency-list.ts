import type { ChainAdapter } from '../../contract/chain-adapter.js';
import type { Currency } from '../../contract/currency.js';
import { type CurrencyView, currencyView } from '../../quoting/currency-view.js';

/** Id of a currency in the catalogue: the same for one symbol on every chain. */
export function currencyId({ symbol }: Pick<Currency, 'symbol'>): string {
  return symbol.toLowerCase();
}

export interface ListedCurrency extends CurrencyView {
  readonly vmType: string;
}

/** All given conditions must match. */
export interface CurrencyFilter {
  /** Only currencies that the operator vouches for. */
  readonly defaultList?: boolean;
  readonly chainIds?: readonly number[];
  /** Part of a symbol or name in any case, or an address. */
  readonly term?: string;
  readonly address?: string;
  /** Id of a currency, or an asset group. */
  readonly currencyId?: string;
  readonly tokens?: readonly Token[];
  readonly verified?: boolean;
  /** Also the same assets on the other chains. */
  readonly includeAllChains?: boolean;
  /** Only currencies that deposit addresses accept. */
  readonly depositAddressOnly?: boolean;
}

export interface Token {
  readonly chainId: number;
  readonly address: string;
}

interface Entry {
  readonly chain: ChainAdapter;
  readonly currency: Currency;
}

/** Better matches of the term first, else in config order. */
export function findCurrencies(chains: readonly ChainAdapter[], filter: CurrencyFilter): readonly Currency[] {
  const all = chains
    .flatMap((chain) => chain.currencies().map((currency): Entry => ({ chain, currency })))
    .filter((entry) => !filter.depositAddressOnly || isTakenAtAddresses(entry));
  const term = filter.term?.trim().toLowerCase() ?? '';
  const found = all
    .filter((entry) => matches(entry, filter))
    .map((entry) => ({ entry, rank: term === '' ? 0 : rankOf(entry, term, filter.term?.trim() ?? '') }))
    .filter(({ rank }) => rank !== undefined)
    .sort((a, b) => (a.rank ?? 0) - (b.rank ?? 0))
    .map(({ entry }) => entry.currency);
  if (!filter.includeAllChains) return found;
  const groups = new Set(found.map(({ group }) => group));
  const known = new Set(found);
  return [...found, ...all.map(({ currency }) => currency).filter((one) => groups.has(one.group) && !known.has(one))];
}

export function byGroup(currencies: readonly Currency[]): readonly (readonly Currency[])[] {
  const groups = new Map<string, Currency[]>();
  for (const currency of currencies) {
    const group = groups.get(currency.group);
    if (group) group.push(currency);
    else groups.set(currency.group, [currency]);
  }
  return [...groups.values()];
}

export function listedCurrency(chain: ChainAdapter | undefined, currency: Currency): ListedCurrency {
  return { ...currencyView(currency), vmType: chain?.facts.vmType ?? '' };
}

/** As quotes of deposit addresses decide: no currency with a transfer fee, and none that the solver does not accept. */
function isTakenAtAddresses({ chain, currency }: Entry): boolean {
  const { capabilities } = chain;
  const isTaken = currency.isSwappedIn !== true && chain.transferFee?.(currency.address) === undefined;
  return capabilities.depositAddresses !== undefined && isTaken;
}

function matches({ chain, currency }: Entry, filter: CurrencyFilter): boolean {
  const { defaultList, chainIds, address, tokens, verified } = filter;
  const id = filter.currencyId?.toLowerCase();
  const isAt = (text: string) => chain.currency(text) === currency;
  return (
    (defaultList !== true || currency.verified) &&
    (chainIds === undefined || chainIds.length === 0 || chainIds.includes(chain.facts.id)) &&
    (address === undefined || isAt(address)) &&
    (id === undefined || id === currencyId(currency) || id === currency.group.toLowerCase()) &&
    (tokens === undefined ||
      tokens.length === 0 ||
      tokens.some((one) => one.chainId === chain.facts.id && isAt(one.address))) &&
    (verified === undefined || verified === currency.verified)
  );
}

/** Lower is better; undefined: no match. */
function rankOf({ chain, currency }: Entry, term: string, exact: string): number | undefined {
  const symbol = currency.symbol.toLowerCase();
  const name = currency.name.toLowerCase();
  if (chain.currency(exact) === currency || symbol === term) return 0;
  if (symbol.startsWith(term)) return 1;
  if (name.startsWith(term)) return 2;
  if (symbol.includes(term)) return 3;
  return name.includes(term) ? 4 : undefined;
}
