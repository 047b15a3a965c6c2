import { ApiError } from '../../errors/api-error.js';
import type { ApiDeps } from '../api.js';
import { bodyOfQuery, type CurrenciesBody, type CurrenciesQuery, currencyAsk } from '../catalog/currency-ask.js';
import { byGroup, findCurrencies, listedCurrency } from '../catalog/currency-list.js';
import { visibleChains } from '../catalog/visible-chains.js';
import { type Answer, type Caller, ok, type Route, route } from '../route.js';
import { CURRENCIES, CURRENCIES_BODY, CURRENCIES_QUERY, CURRENCY_GROUPS } from '../schemas/currencies.js';

type Deps = Pick<ApiDeps, 'chains'>;

/** `POST` and `GET` of `/currencies/v2` and of `/currencies/v1`, which groups by asset. */
export function currenciesRoutes(deps: Deps): readonly Route[] {
  const shared = {
    tags: ['Currencies'],
    rate: 'other',
    access: 'open',
    errors: ['UNSUPPORTED_EXECUTION_TYPE'],
  } as const;
  const v2 = {
    ...shared,
    path: '/currencies/v2',
    description: 'Currencies that match every condition, in the order of their chains. Without conditions: all.',
    answers: { 200: CURRENCIES },
  } as const;
  const v1 = {
    ...shared,
    path: '/currencies/v1',
    description: 'The same search, grouped: one group per asset, with its currencies on all chains.',
    answers: { 200: CURRENCY_GROUPS },
  } as const;
  const post = { method: 'POST', body: CURRENCIES_BODY } as const;
  const get = { method: 'GET', query: CURRENCIES_QUERY } as const;
  const byQuery = (query: CurrenciesQuery, caller: Caller, grouped: boolean) => {
    const body = bodyOfQuery(query);
    return body instanceof ApiError ? body : answer(deps, body, caller, grouped);
  };
  return [
    route({
      ...v2,
      ...post,
      operationId: 'findCurrenciesV2',
      summary: 'Find currencies',
      handle: ({ body, caller }) => answer(deps, body, caller, false),
    }),
    route({
      ...v1,
      ...post,
      operationId: 'findCurrenciesV1',
      summary: 'Find currencies by asset',
      handle: ({ body, caller }) => answer(deps, body, caller, true),
    }),
    route({
      ...v2,
      ...get,
      operationId: 'currenciesV2',
      summary: 'Find currencies, by a query',
      handle: ({ query, caller }) => byQuery(query, caller, false),
    }),
    route({
      ...v1,
      ...get,
      operationId: 'currenciesV1',
      summary: 'Find currencies by asset, by a query',
      handle: ({ query, caller }) => byQuery(query, caller, true),
    }),
  ];
}

function answer({ chains }: Deps, body: CurrenciesBody, caller: Caller, grouped: boolean): Answer | ApiError {
  const ask = currencyAsk(body);
  if (ask instanceof ApiError) return ask;
  const { filter, limit } = ask;
  const found = findCurrencies(visibleChains(chains, caller), filter);
  if (!grouped) return ok(found.slice(0, limit).map((one) => listedCurrency(chains.get(one.chainId), one)));
  const groups = byGroup(found).slice(0, limit);
  return ok(
    groups.map((group) =>
      group.map((one) => ({ ...listedCurrency(chains.get(one.chainId), one), groupID: one.group })),
    ),
  );
}
