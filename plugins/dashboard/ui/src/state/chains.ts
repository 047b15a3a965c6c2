import { call } from '../api/client.js';
import type { Chain } from '../generated/api.js';
import { createStore, useStore } from './store.js';

const chains = createStore<readonly Chain[]>([]);
let asked = false;

/** All chains that the service serves; empty until they have loaded. */
export function useChains(): readonly Chain[] {
  return useStore(chains);
}

/** Once per page; again where it failed. */
export async function loadChains(): Promise<void> {
  if (asked) return;
  asked = true;
  try {
    chains.set((await call('GET /chains')).chains);
  } catch {
    asked = false;
  }
}

export const chainOf = (all: readonly Chain[], id: number): Chain | undefined => all.find((chain) => chain.id === id);

/** Its name for people, or its number where the service does not serve it any more. */
export const chainName = (all: readonly Chain[], id: number): string => chainOf(all, id)?.displayName ?? `Chain ${id}`;

export interface KnownCurrency {
  readonly symbol: string;
  readonly name: string;
  readonly address: string;
  readonly decimals: number;
}

/** The native currency first. */
export function currenciesOf(chain: Chain | undefined): readonly KnownCurrency[] {
  return chain === undefined
    ? []
    : [chain.currency, ...chain.erc20Currencies.filter(({ address }) => address !== chain.currency.address)];
}

export function currencyOf(chain: Chain | undefined, address: string): KnownCurrency | undefined {
  return currenciesOf(chain).find((one) => one.address.toLowerCase() === address.toLowerCase());
}

/** Undefined where the chain has no explorer. Never a script: explorers come from the operator's config. */
export function explorerLink(
  chain: Chain | undefined,
  kind: 'transaction' | 'address',
  value: string,
): string | undefined {
  if (!chain || !/^https?:\/\//.test(chain.explorerUrl)) return undefined;
  const base = chain.explorerUrl.replace(/\/$/, '');
  const query = new URLSearchParams(chain.explorerQueryParams ?? {}).toString();
  const path = chain.explorerPaths[kind].replace(/^\/?/, '/').replace(/\/$/, '');
  return `${base}${path}/${encodeURIComponent(value)}${query === '' ? '' : `?${query}`}`;
}
