import { usdValueText } from '../../domain/money.js';
import { ApiError } from '../../errors/api-error.js';
import type { ApiDeps } from '../api.js';
import { currencyId } from '../catalog/currency-list.js';
import { visibleChain, visibleChains } from '../catalog/visible-chains.js';
import { ok, type Route, route } from '../route.js';
import { object } from '../schema.js';
import { CHAIN_HEALTH, LIQUIDITY, SWAP_SOURCES } from '../schemas/chain-state.js';
import { CHAIN_ID } from '../schemas/common.js';

type Deps = Pick<ApiDeps, 'chains' | 'engine' | 'prices' | 'liquidity'>;

export function chainStateRoutes(deps: Deps): readonly Route[] {
  return [healthRoute(deps), liquidityRoute(deps), swapSourcesRoute(deps)];
}

const shared = {
  method: 'GET',
  tags: ['Chains'],
  rate: 'other',
  access: 'open',
  errors: ['UNSUPPORTED_CHAIN'],
} as const;

function healthRoute({ chains, engine }: Deps): Route {
  return route({
    ...shared,
    path: '/chains/health',
    operationId: 'chainHealth',
    summary: 'Whether a chain is followed',
    description:
      'False while its node does not answer or lags, deposits are not read up to its head, or its fees, the price of its coin or the balances of the service are unknown. Quotes of the chain are refused meanwhile.',
    query: object({ chainId: CHAIN_ID }),
    answers: { 200: CHAIN_HEALTH },
    handle: ({ query, caller }) => {
      const chain = visibleChain(chains, caller, query.chainId);
      return chain instanceof ApiError ? chain : ok({ healthy: engine.chainStatus(chain.facts.id).healthy });
    },
  });
}

function liquidityRoute({ chains, engine, prices }: Deps): Route {
  return route({
    ...shared,
    path: '/chains/liquidity',
    operationId: 'chainLiquidity',
    summary: 'What can be delivered on a chain now',
    description: 'Balances less promised amounts and gas reserves.',
    query: object({ chainId: CHAIN_ID }),
    answers: { 200: LIQUIDITY },
    handle: ({ query, caller }) => {
      const chain = visibleChain(chains, caller, query.chainId);
      if (chain instanceof ApiError) return chain;
      const { id } = chain.facts;
      const liquidity = chain.currencies().map((currency) => {
        const { symbol, address, decimals } = currency;
        const balance = engine.available(id, address);
        const price = prices.price(currency);
        const amountUsd = price.ok ? usdValueText(balance, decimals, price.usd) : '0';
        const text = balance.toString();
        return { chainId: id, currencyId: currencyId(currency), symbol, address, decimals, balance: text, amountUsd };
      });
      return ok({ liquidity });
    },
  });
}

function swapSourcesRoute({ chains, liquidity }: Deps): Route {
  return route({
    ...shared,
    path: '/swap-sources',
    operationId: 'swapSources',
    summary: 'Sources of swaps',
    description: 'Of one chain, or of all chains. Empty if the operator has installed none.',
    query: object({}, { chainId: CHAIN_ID }),
    answers: { 200: SWAP_SOURCES },
    handle: ({ query, caller }) => {
      const asked = query.chainId === undefined ? undefined : visibleChain(chains, caller, query.chainId);
      if (asked instanceof ApiError) return asked;
      const shown = asked === undefined ? visibleChains(chains, caller) : [asked];
      const sources = liquidity().filter((source) => shown.some(({ facts }) => source.supports(facts.id)));
      return ok({ sources: sources.map(({ id }) => id) });
    },
  });
}
