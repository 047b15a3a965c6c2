import type { ChainAdapter } from '../../contract/chain-adapter.js';
import type { Currency } from '../../contract/currency.js';
import type { ApiDeps } from '../api.js';
import { ok, type Route, route } from '../route.js';
import { CHAINS_ANSWER } from '../schemas/chains.js';

/** `GET /chains` (clients.md 2.5). Hidden chains are left out. */
export function chainsRoute({ chains, engine }: Pick<ApiDeps, 'chains' | 'engine'>): Route {
  const shown = [...chains.values()]
    .filter((chain) => chain.facts.private === undefined)
    .map((chain) => ({ chain, fixed: fixedFields(chain) }));
  return route({
    method: 'GET',
    path: '/chains',
    operationId: 'chains',
    summary: 'Chains that are served',
    tags: ['Chains'],
    rate: 'other',
    access: 'open',
    answers: { 200: CHAINS_ANSWER },
    handle: () =>
      ok({
        chains: shown.map(({ chain, fixed }) => {
          const { healthy } = chain.status();
          const paused = engine.paused(chain.facts.id, chain.facts.id);
          const disabled = paused === 'all' || paused === 'chain';
          return {
            ...fixed,
            depositEnabled: healthy && !disabled,
            disabled,
            blockProductionLagging: !healthy,
            statusMessage: disabled ? 'Paused' : healthy ? null : 'Not available now',
          };
        }),
      }),
  });
}

function fixedFields(chain: ChainAdapter) {
  const { facts } = chain;
  const currencies = chain.currencies();
  const tokens = currencies.filter((currency) => !currency.isNative);
  return {
    id: facts.id,
    name: facts.name,
    displayName: facts.displayName,
    vmType: facts.vmType,
    httpRpcUrl: facts.publicRpcUrl,
    wsRpcUrl: facts.publicWsUrl,
    explorerUrl: facts.explorerUrl,
    explorerName: facts.explorerName,
    explorerPaths: facts.explorerPaths,
    explorerQueryParams: null,
    iconUrl: facts.iconUrl,
    logoUrl: facts.iconUrl,
    brandColor: null,
    tags: [],
    baseChainId: null,
    partialDisableLimit: 0,
    tokenSupport: 'Limited',
    withdrawalFee: 0,
    depositFee: 0,
    surgeEnabled: false,
    currency: { ...listed(facts.currency), supportsBridging: true },
    erc20Currencies: tokens.map((currency) => ({
      ...listed(currency),
      supportsBridging: true,
      supportsPermit: false,
      withdrawalFee: 0,
      depositFee: 0,
      surgeEnabled: false,
    })),
    featuredTokens: currencies.map((currency) => ({
      ...listed(currency),
      metadata: { logoURI: currency.logoURI ?? '' },
    })),
    solverCurrencies: currencies.map(listed),
    solverAddresses: chain.lanes.map((lane) => lane.signer),
    contracts: facts.contracts,
    protocol: { v2: { chainId: facts.name, depository: facts.depository } },
  };
}

function listed(currency: Currency) {
  const { symbol, name, address, decimals } = currency;
  return { id: symbol.toLowerCase(), symbol, name, address, decimals };
}
