import { apiError } from '../../errors/api-error.js';
import { type Route, route, type Tag } from '../route.js';
import { anything, list, object, type Schema, text } from '../schema.js';
import { MESSAGE } from '../schemas/common.js';

const ADDRESS = text({ minLength: 1, maxLength: 256 });

interface Path {
  readonly method?: 'POST';
  readonly path: string;
  readonly operationId: string;
  readonly summary: string;
  readonly what: string;
  readonly tag: Tag;
  readonly params?: Readonly<Record<string, Schema>>;
  readonly body?: Schema;
}

const PLACE = { chainId: text({ maxLength: 16 }), address: ADDRESS };

/** Paths that public clients call and this version does not serve. Parameters are ignored, bodies are not. */
const PATHS: readonly Path[] = [
  {
    ...{ path: '/execute/swap', operationId: 'executeSwap', summary: 'Quote and steps of a swap in one, older' },
    ...{ method: 'POST', what: 'Older executions are', tag: 'Transactions', body: object({}) },
  },
  {
    ...{ path: '/config', operationId: 'routeConfig', summary: 'What may be sent, older' },
    ...{ what: 'Older configurations, before `/config/v2`, are', tag: 'Chains' },
  },
  {
    ...{
      path: '/chains/:chainId/currencies/:address/chart',
      operationId: 'currencyChart',
      summary: 'Chart of a price',
    },
    ...{ what: 'Charts are', tag: 'Currencies', params: PLACE },
  },
  {
    ...{ path: '/currencies/trending', operationId: 'trendingCurrencies', summary: 'Currencies that others trade' },
    ...{ what: 'Trends are', tag: 'Currencies' },
  },
  {
    ...{ path: '/prices/rates', operationId: 'priceRates', summary: 'Prices by symbol' },
    ...{ what: 'Prices by symbol are', tag: 'Currencies' },
  },
  {
    ...{ path: '/sanctioned/:address', operationId: 'sanctioned', summary: 'Whether an account is sanctioned' },
    ...{ what: 'Screenings are', tag: 'Service', params: { address: ADDRESS } },
  },
  {
    ...{ path: '/wallets/screen', operationId: 'screenWallets', summary: 'Screen accounts', method: 'POST' },
    ...{ what: 'Screenings are', tag: 'Service', body: object({ wallets: list(anything(), { maxItems: 100 }) }) },
  },
  {
    ...{ path: '/withdrawals/request', operationId: 'requestWithdrawal', summary: 'Ask for a withdrawal' },
    ...{ method: 'POST', what: 'Withdrawals by others are', tag: 'Transactions', body: object({}) },
  },
  {
    ...{ path: '/withdrawals/status', operationId: 'withdrawalStatus', summary: 'Status of a withdrawal' },
    ...{ what: 'Withdrawals by others are', tag: 'Transactions' },
  },
  {
    ...{ path: '/metrics/usage', operationId: 'usageMetrics', summary: 'Use of API keys over time' },
    ...{ what: 'Statistics of keys are', tag: 'Keys' },
  },
];

/** Answers unsupported paths with an explicit code: a 404 would suggest a wrong address. */
export function notServedPaths(): readonly Route[] {
  return PATHS.map(({ method = 'GET' as const, path, operationId, summary, what, tag, params, body }) =>
    route({
      ...{ method, path, operationId, summary, tags: [tag], rate: 'other', access: 'open' },
      description: `${what} not served by this version: what is right is refused with \`UNSUPPORTED_EXECUTION_TYPE\`.`,
      ...(params ? { params } : {}),
      ...(body ? { body } : {}),
      answers: { 200: MESSAGE },
      errors: ['UNSUPPORTED_EXECUTION_TYPE'],
      handle: () => apiError('UNSUPPORTED_EXECUTION_TYPE', `${what.replaceAll('`', '')} not served`),
    }),
  );
}
