import { ApiError, apiError } from '../../errors/api-error.js';
import type { ApiDeps } from '../api.js';
import { listedCurrency } from '../catalog/currency-list.js';
import { findCurrency } from '../catalog/find-currency.js';
import { type Answer, type Caller, ok, type Route, route } from '../route.js';
import { text } from '../schema.js';
import { MARKET_CURRENCY, TOKEN_PRICE, TOKEN_PRICE_TEXT, TOKEN_QUERY } from '../schemas/currencies.js';

type Deps = Pick<ApiDeps, 'chains' | 'prices'>;

export function tokenPriceRoutes(deps: Deps): readonly Route[] {
  const shared = {
    method: 'GET',
    tags: ['Currencies'],
    rate: 'other',
    access: 'open',
  } as const;
  const priced = {
    ...shared,
    query: TOKEN_QUERY,
    errors: ['UNSUPPORTED_CHAIN', 'UNSUPPORTED_CURRENCY', 'PRICE_FETCH_FAILED'],
  } as const;
  return [
    route({
      ...priced,
      path: '/currencies/token/price',
      operationId: 'tokenPrice',
      summary: 'Price of a currency',
      description: 'Present price that quotes use, as a number, which may be rounded.',
      answers: { 200: TOKEN_PRICE },
      handle: ({ query, caller }) => price(deps, caller, query.chainId, query.address, Number),
    }),
    route({
      ...priced,
      path: '/currencies/token/price/v2',
      operationId: 'tokenPriceV2',
      summary: 'Exact price of a currency',
      description: 'Present price that quotes use, as exact decimal text.',
      answers: { 200: TOKEN_PRICE_TEXT },
      handle: ({ query, caller }) => price(deps, caller, query.chainId, query.address, (usd) => usd),
    }),
    route({
      ...shared,
      path: '/chains/:chainId/currencies/:address',
      operationId: 'chainCurrency',
      summary: 'A currency and its market',
      description: 'Name, decimals, and price if known.',
      params: {
        chainId: text({ pattern: '^[0-9]{1,15}$', description: 'Chain id.' }),
        address: text({ maxLength: 256, description: 'In any spelling.' }),
      },
      answers: { 200: MARKET_CURRENCY },
      errors: ['UNSUPPORTED_CHAIN', 'UNSUPPORTED_CURRENCY'],
      handle: ({ params, caller }) => market(deps, caller, Number(params['chainId']), params['address'] ?? ''),
    }),
  ];
}

function price(
  { chains, prices }: Deps,
  caller: Caller,
  chainId: number,
  address: string,
  written: (usd: string) => number | string,
): Answer | ApiError {
  const found = findCurrency(chains, caller, chainId, address);
  if (found instanceof ApiError) return found;
  const known = prices.price(found.currency);
  if (known.ok) return ok({ price: written(known.usd) });
  const { symbol } = found.currency;
  if (known.why === 'stale') return apiError('PRICE_FETCH_FAILED', `The price of ${symbol} is too old`);
  return apiError('UNSUPPORTED_CURRENCY', `${symbol} cannot be priced`, { field: 'address', reason: 'has no price' });
}

function market({ chains, prices }: Deps, caller: Caller, chainId: number, address: string): Answer | ApiError {
  const found = findCurrency(chains, caller, chainId, address);
  if (found instanceof ApiError) return found;
  const known = prices.price(found.currency);
  return ok({
    ...listedCurrency(found.chain, found.currency),
    price: known.ok ? Number(known.usd) : null,
    priceUpdatedAt: known.ok ? known.at : null,
  });
}
