import { expect } from 'vitest';
import { type ApiDeps, RETIREMENT } from '../../../core/src/api/index.js';
import { hashKey } from '../../../core/src/api/key-format.js';
import { ratesOf } from '../../../core/src/host/config/rates.js';
import { apiKeyRow } from '../../../core/src/testing/store-fixtures.js';
import { address, OTHER_TOKEN } from '../../../core/test/api/support/chain-double.js';
import { type RunningApi, withKey } from '../../../core/test/api/support/running-api.js';
import { quotes, refuses } from './asks.js';
import type { Ask, Row, Table } from './table.js';
import { OTHER_KEY, type World } from './world.js';

const LIST = 'GET /requests/v3';
const OPTIONS: ApiDeps['options'] = { anonymousRead: 'off', rateLimits: {}, corsOrigins: ['*'], trustedProxies: [] };
const NOT_SERVED = 'UNSUPPORTED_EXECUTION_TYPE';
const row = (name: string, rule: string, ...asks: readonly Ask[]): Row => ({ name, rule, asks });
const shown = (name: string, rule: string, shows: NonNullable<Row['shows']>): Row => ({ name, rule, shows });
const _withOwn = { includeAuthenticatedData: true };

export const REQUEST_ERRORS: Table = {
  title: 'Requests API errors',
  endpoint: 'GET /requests/v3, GET /requests/v2',
  where: 'answer',
  rows: [
    row(
      '400 for a referrer filter without apiKey',
      'also inside filters',
      { call: LIST, query: { referrer: 'shop' }, status: 400, has: { errorData: { field: 'referrer' } } },
      {
        call: LIST,
        query: { filters: '[{"not:referrer":"shop"}]' },
        status: 400,
        has: { errorData: { field: 'referrer' } },
      },
    ),
    row(
      '400 for an empty referrer',
      'also inside filters',
      { call: LIST, query: { referrer: '', apiKey: 'key-1' }, status: 400, has: { errorData: { field: 'referrer' } } },
      { call: LIST, query: { apiKey: 'key-1', filters: '[{"referrer":""}]' }, status: 400 },
    ),
    row(
      '400 for arrays mixing null with values',
      'for any key',
      ...['status', 'not:user', 'currencyInSymbol', 'chainId', 'apiKey'].map(
        (key): Ask => ({
          call: LIST,
          query: { filters: JSON.stringify([{ [key]: [null, key === 'chainId' ? 1 : 'success'] }]) },
          status: 400,
          has: { errorData: { field: `filters[0].${key}` } },
        }),
      ),
    ),
    row('403 for keys of others', 'of a referrer filter', {
      call: LIST,
      query: { referrer: 'shop', apiKey: 'key-1,key-other' },
      status: 403,
      has: { errorCode: 'FORBIDDEN', statusCode: 403 },
    }),
    shown('429 of /requests/v2', 'message, successor, migrationGuide; no Retry-After', async (world) => {
      const api = await legacyAt(world, BETWEEN);
      const replies = await several(api, '/requests/v2', 5);
      const limited = replies.find(({ status }) => status === 429);
      expect(limited?.body).toEqual({
        message: expect.any(String),
        successor: '/requests/v3',
        migrationGuide: expect.any(String),
      });
      expect(limited?.headers.get('retry-after')).toBeNull();
    }),
  ],
};

const BETWEEN = Date.UTC(2026, 8, 1);

async function legacyAt(world: World, at: number): Promise<RunningApi> {
  const clock = { now: () => at, monotonic: () => at, sleep: async () => undefined, every: () => () => undefined };
  const rateLimits = { legacyRequests: { default: { requests: 4, seconds: 60 } } };
  return world.open({ clock, options: { ...OPTIONS, rateLimits, retirement: RETIREMENT } });
}

async function several(api: RunningApi, path: string, times: number) {
  const replies = [];
  for (let n = 0; n < times; n += 1) replies.push(await api.call('GET', path, withKey));
  return replies;
}

const RATES = ratesOf({
  default: { quotes: '50/min', requests: '200/min', legacyRequests: '200/min', other: '200/min' },
  elevated: { quotes: '10/s', requests: '20/s', legacyRequests: '10/s', other: '200/min' },
  status: '20/s',
} as Parameters<typeof ratesOf>[0]);

/** A key of the elevated tier gets this many requests per second, and no more. */
const elevated = (name: string, perSecond: number, ...paths: readonly string[]): Row =>
  shown(name, `${perSecond} requests per second`, async ({ open }) => {
    const at = BETWEEN;
    const clock = { now: () => at, monotonic: () => at, sleep: async () => undefined, every: () => () => undefined };
    const retirement = { ...RETIREMENT, throttle: [] };
    const api = await open({ clock, options: { ...OPTIONS, rateLimits: RATES, retirement } });
    const key = apiKeyRow(4, { hash: hashKey(OTHER_KEY), scopes: '["*"]', tier: 'elevated' });
    await api.store.apply({ name: 'test.key', changes: [{ op: 'insert', table: 'apiKeys', row: key }] });
    const statuses: number[] = [];
    for (let n = 0; n <= perSecond; n += 1) {
      const path = paths[n % paths.length] ?? '';
      statuses.push((await api.call('GET', path, { headers: { 'x-api-key': OTHER_KEY } })).status);
    }
    expect(statuses).toEqual([...Array(perSecond).fill(200), 429]);
  });

const oversize =
  (bytes: number) =>
  ({ api }: World) =>
    void Object.assign(api.a.state, { oversize: { bytes, limit: 1_232 } });

export const LIMITS: Table = {
  title: 'Limits',
  endpoint: 'all',
  where: 'rule',
  rows: [
    row(
      'page size',
      'default 20, min 1, max 50',
      { call: LIST, judge: ({ body }) => expect(body.requests).toHaveLength(20) },
      { call: LIST, query: { limit: 50 }, judge: ({ body }) => expect(body.requests).toHaveLength(50) },
      { call: LIST, query: { limit: 0 }, status: 400 },
      { call: LIST, query: { limit: 51 }, status: 400 },
    ),
    elevated('elevated rate of /requests/v3', 20, '/requests/v3'),
    elevated('elevated rate of /requests and /requests/v2', 10, '/requests', '/requests/v2'),
    row(
      'SVM deposit transaction',
      'over 1232 bytes is refused at quote time, whatever headroom is advised',
      ...refuses({}, 'SOLANA_TX_TOO_LARGE', { given: oversize(1_233) }),
      ...quotes({}),
    ),
    row(
      'slippage tolerance',
      'integer string, 0 to 10000',
      ...refuses({ slippageTolerance: '10001' }, 'INVALID_SLIPPAGE_TOLERANCE'),
      ...quotes({ slippageTolerance: '9000' }),
    ),
    row(
      'minimum same-chain swap value',
      'not in (0, 0.05); wrapping, sending and calls exempt',
      ...refuses({ destinationChainId: 1, destinationCurrency: OTHER_TOKEN, amount: '1' }, 'AMOUNT_TOO_LOW'),
      ...quotes({ destinationChainId: 1, destinationCurrency: OTHER_TOKEN, amount: '1000000000' }),
      ...quotes({ destinationChainId: 1, amount: '1000000000' }),
    ),
    row(
      'gasless sponsorship',
      'all-or-nothing: fees above the app balance are not sponsored',
      ...quotes(
        { subsidizeFees: true, maxSubsidizationAmount: '100' },
        { fees: { subsidized: { amountUsd: '0.000100' } } },
      ),
      ...refuses(
        { subsidizeFees: true, appFees: [{ recipient: address('3'), fee: '500' }] },
        'SPONSOR_BALANCE_TOO_LOW',
      ),
    ),
    row('gasless chains', 'those with an account for it', {
      call: 'POST /execute',
      body: { executionKind: 'rawCalls', data: { chainId: 2, to: 'x', data: '0x', value: '0' } },
      status: 400,
      has: { errorCode: NOT_SERVED },
    }),
    shown('request-list v2 rate', 'reduced month by month until it ends', async (world) => {
      const left: number[] = [];
      for (const day of [Date.UTC(2026, 6, 22), Date.UTC(2026, 7, 22), Date.UTC(2026, 8, 22), Date.UTC(2026, 9, 22)]) {
        const replies = await several(await legacyAt(world, day), '/requests/v2', 5);
        left.push(replies.filter(({ status }) => status === 200).length);
      }
      expect(left).toEqual([4, 3, 2, 1]);
      expect((await several(await legacyAt(world, Date.UTC(2026, 10, 24)), '/requests/v2', 1))[0]?.status).toBe(410);
    }),
  ],
};
