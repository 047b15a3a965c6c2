import type { ChainAdapter } from '../../contract/chain-adapter.js';
import type { Currency } from '../../contract/currency.js';
import type { ApiDeps } from '../api.js';
import { currencyId } from '../catalog/currency-list.js';
import { visibleChains } from '../catalog/visible-chains.js';
import { ok, type Route, route } from '../route.js';
import { CHAINS_ANSWER } from '../schemas/chains.js';

/** Hidden chains are shown only to keys that were granted them. */
export function chainsRoute({ chains, engine, rehearsal }: Pick<ApiDeps, 'chains' | 'engine' | 'rehearsal'>): Route {
  const hidden = rehearsal === undefined ? {} : withoutAccounts;
  const fixed = new Map([...chains].map(([id, chain]) => [id, { ...fixedFields(chain), ...hidden }]));
  return route({
    method: 'GET',
    path: '/chains',
    operationId: 'chains',
    summary: 'Chains that are served',
    description: 'Private chains are listed only for keys with access to them.',
    tags: ['Chains'],
    rate: 'other',
    access: 'open',
    answers: { 200: CHAINS_ANSWER },
    handle: ({ caller }) =>
      ok({
        chains: visibleChains(chains, caller).map((chain) => {
          const { healthy } = engine.chainStatus(chain.facts.id);
          const paused = engine.paused(chain.facts.id, chain.facts.id);
          const disabled = paused === 'all' || paused === 'chain';
          const reason = disabled ? engine.pauseReason(chain.facts.id, chain.facts.id) : null;
          const pausedText = reason === null ? 'Paused' : `Paused: ${reason}`;
          return {
            ...fixed.get(chain.facts.id),
            depositEnabled: rehearsal === undefined && healthy && !disabled,
            disabled,
            blockProductionLagging: !healthy,
            statusMessage: rehearsal ? REHEARSES : disabled ? pausedText : healthy ? null : 'Not available now',
          };
        }),
      }),
  });
}

const REHEARSES = 'A rehearsal: no deposits are taken';
/** Accounts of a rehearsal have no keys: what is sent there is lost. */
const withoutAccounts = {
  solverAddresses: [],
  contracts: {},
  protocol: { v2: { chainId: '', depository: '' } },
} as const;

function fixedFields(chain: ChainAdapter) {
  const { facts } = chain;
  const shown = facts.presentation ?? {};
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
    explorerQueryParams: shown.explorerQueryParams ?? null,
    iconUrl: facts.iconUrl,
    logoUrl: shown.logoUrl ?? facts.iconUrl,
    brandColor: shown.brandColor ?? null,
    tags: shown.tags ?? [],
    baseChainId: shown.baseChainId ?? null,
    partialDisableLimit: 0,
    tokenSupport: 'Limited',
    withdrawalFee: 0,
    depositFee: 0,
    surgeEnabled: false,
    currency: { ...listed(facts.currency), supportsBridging: true },
    erc20Currencies: tokens.map((currency) => ({
      ...listed(currency),
      supportsBridging: currency.isSwappedIn !== true,
      supportsPermit: chain.capabilities.permits !== undefined && currency.isSwappedIn !== true,
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
    contracts: { ...facts.contracts, ...facts.laterContracts },
    protocol: {
      v2: {
        chainId: facts.name,
        depository: facts.depository,
        ...(facts.depositoryVault === undefined ? {} : { depositoryVault: facts.depositoryVault }),
      },
    },
  };
}

function listed(currency: Currency) {
  const { symbol, name, address, decimals } = currency;
  return { id: currencyId(currency), symbol, name, address, decimals };
}
