import { expect } from 'vitest';
import { finds, inOrder, invalid } from './asks.js';
import type { Ask, Row } from './table.js';
import { dayOf, SEEDS, WALLET } from './world.js';

const LIST = 'GET /requests/v3';
const ALL = [...SEEDS];
const but = (...left: readonly string[]) => ALL.filter((seed) => !left.includes(seed));
const _mixed = (text: string) => text.toUpperCase().replace('0X', '0x');
const groups = (...filters: readonly object[]) => ({ filters: JSON.stringify(filters) });
const refused = (query: Ask['query'], status: number, field?: string): Ask => ({
  call: LIST,
  ...(query === undefined ? {} : { query }),
  status,
  has: { statusCode: status, ...(field === undefined ? {} : { errorData: { field } }) },
});
const shows = (query: NonNullable<Ask['query']>, has: unknown): Ask => ({ call: LIST, query, has });

export const BOUNDS: readonly Row[] = [
  {
    name: 'sortBy',
    type: 'string enum',
    default: 'createdAt',
    rule: 'createdAt, updatedAt, amountUsd',
    asks: [
      inOrder({}, ...[...ALL].reverse()),
      inOrder({ sortBy: 'createdAt' }, ...[...ALL].reverse()),
      inOrder({ sortBy: 'updatedAt', user: WALLET }, ...[...ALL].reverse()),
      inOrder(
        { sortBy: 'amountUsd', ...groups({ failReason: ['SLIPPAGE', 'N/A'] }), status: 'refund' },
        'fallback',
        'refund',
      ),
      ...invalid('sortBy', 'amount', ''),
    ],
  },
  {
    name: 'sortDirection',
    type: 'string enum',
    default: 'desc for times, asc for amountUsd',
    rule: 'asc, desc',
    asks: [
      inOrder({ sortDirection: 'asc' }, ...ALL),
      inOrder({ sortDirection: 'desc' }, ...[...ALL].reverse()),
      inOrder({ sortBy: 'updatedAt', sortDirection: 'asc', user: WALLET }, ...ALL),
      inOrder({ sortBy: 'amountUsd', amountUsdMin: 5 }, 'refund', 'depositing', 'success'),
      inOrder({ sortBy: 'amountUsd', sortDirection: 'desc', amountUsdMin: 5 }, 'success', 'depositing', 'refund'),
      ...invalid('sortDirection', 'up', 'ASC'),
    ],
  },
  {
    name: 'startTimestamp, endTimestamp',
    type: 'number',
    rule: 'Unix seconds, inclusive; bound createdAt, or updatedAt when sorted by it',
    asks: [
      finds({ startTimestamp: dayOf('child') }, 'child', 'reorged'),
      finds({ startTimestamp: dayOf('child') + 1 }, 'reorged'),
      finds({ endTimestamp: dayOf('refund') }, 'success', 'refund'),
      finds({ endTimestamp: dayOf('refund') - 1 }, 'success'),
      finds({ sortBy: 'updatedAt', startTimestamp: dayOf('child'), endTimestamp: dayOf('child') }, 'child'),
      finds({ sortBy: 'updatedAt', startTimestamp: dayOf('child') + 1, endTimestamp: dayOf('reorged') - 1 }),
      ...invalid('startTimestamp', 'yesterday', -1, 1.5),
      ...invalid('endTimestamp', 'now'),
    ],
  },
  {
    name: 'startBlock, endBlock',
    type: 'number',
    rule: 'bounds of blocks of chain entries, inclusive; of origin-chain entries when originChainId is set',
    asks: [
      finds({ startBlock: 801, endBlock: 811 }, 'success', 'refund'),
      finds({ startBlock: 812, endBlock: 820 }),
      finds({ startBlock: 801, endBlock: 801 }, 'success'),
      finds({ startBlock: 801, endBlock: 801, originChainId: 1 }),
      finds({ startBlock: 800, endBlock: 800, originChainId: 1 }, 'success'),
      ...invalid('startBlock', -1, 1.5, 'x'),
      ...invalid('endBlock', -1),
    ],
  },
  {
    name: 'amountUsdMin, amountUsdMax',
    type: 'number',
    rule: 'bound currencyIn.amountUsd',
    asks: [
      finds({ amountUsdMin: 5 }, 'success', 'refund', 'depositing'),
      finds({ amountUsdMin: 5.000001, amountUsdMax: 99 }, 'depositing'),
      finds({ amountUsdMin: 5, amountUsdMax: 5 }, 'refund'),
      ...invalid('amountUsdMin', -1, 'much'),
      ...invalid('amountUsdMax', 'NaN'),
    ],
  },
  {
    name: 'appFeesAmountUsdMin, appFeesAmountUsdMax',
    type: 'number',
    rule: 'bound total app fees in USD',
    asks: [
      finds({ appFeesAmountUsdMin: 1, appFeesAmountUsdMax: 1 }, 'success'),
      finds({ appFeesAmountUsdMin: 1.01 }),
      finds({ appFeesAmountUsdMax: 0.99 }, ...but('success')),
      ...invalid('appFeesAmountUsdMin', -1),
      ...invalid('appFeesAmountUsdMax', 'x'),
    ],
  },
  {
    name: 'fillTimeMin, fillTimeMax',
    type: 'number',
    rule: 'seconds',
    asks: [
      finds({ fillTimeMax: 0.9 }, 'success'),
      finds({ fillTimeMin: 1 }, 'pending'),
      finds({ fillTimeMin: 61, fillTimeMax: 61 }, 'pending'),
      ...invalid('fillTimeMin', -1),
      ...invalid('fillTimeMax', 'x'),
    ],
  },
  {
    name: 'features',
    type: 'string',
    rule: 'comma-separated; at least one',
    asks: [
      finds({ features: 'app_fees' }, 'success'),
      finds({ features: 'fixed_rate,app_fees' }, 'success'),
      finds({ features: 'fixed_rate' }),
      ...invalid('features', 'fast', 'app_fees,,fast_fill', ''),
    ],
  },
  {
    name: 'includeAuthenticatedData',
    type: 'boolean',
    rule: 'adds what only the integrator may see of its own requests',
    asks: [
      shows(({ seeds }) => ({ id: seeds.success.id, includeAuthenticatedData: true }), {
        requests: [{ data: { apiKeyName: 'tests', referrer: 'shop' } }],
      }),
      ...[false, undefined].map(
        (value): Ask => ({
          call: LIST,
          query: ({ seeds }) => ({
            id: seeds.success.id,
            ...(value === undefined ? {} : { includeAuthenticatedData: value }),
          }),
          judge: ({ body }) => expect(body.requests[0].data).not.toHaveProperty('apiKeyName'),
        }),
      ),
      ...invalid('includeAuthenticatedData', 'maybe'),
    ],
  },
  {
    name: 'includeChildRequests',
    type: 'boolean',
    rule: 'with id only: the parent and its children',
    asks: [
      finds(({ seeds }) => ({ id: seeds.success.id, includeChildRequests: true }), 'success', 'child'),
      finds(({ seeds }) => ({ id: seeds.success.id, includeChildRequests: false }), 'success'),
      finds(({ seeds }) => ({ id: seeds.success.id }), 'success'),
      finds({ includeChildRequests: true }, ...ALL),
      ...invalid('includeChildRequests', 'yes'),
    ],
  },
  {
    name: 'includeTotal',
    type: 'boolean',
    default: 'false',
    rule: 'adds the exact number of matches, whatever the page',
    asks: [
      shows({ user: WALLET, limit: 1, includeTotal: true }, { total: ALL.length }),
      ...[{}, { includeTotal: false }].map(
        (query): Ask => ({
          call: LIST,
          query: { user: WALLET, ...query },
          judge: ({ body }) => expect(body).not.toHaveProperty('total'),
        }),
      ),
      ...invalid('includeTotal', 'maybe'),
    ],
  },
  {
    name: 'filters',
    type: 'string',
    rule: 'JSON array of groups: AND within, OR between; not: negates; arrays are OR; null is a null-check; mixed is 400',
    asks: [
      finds(groups({ status: 'failure', failReason: 'DOUBLE_SPEND' }), 'child'),
      finds(groups({ status: 'success' }, { status: 'refund' }), 'success', 'refund', 'fallback'),
      finds(
        groups({ 'not:status': ['failure', 'refund', 'success'], 'not:originChainId': 2 }),
        'depositing',
        'submitted',
        'waiting',
      ),
      finds(groups({ failReason: null, 'not:apiKey': null }), 'success'),
      finds(groups({ user: null }), 'submitted'),
      finds(groups({ 'not:currencyInSymbol': null, depositAddress: [null] }), ...but('depositing')),
      finds({ status: 'failure', ...groups({ 'not:failReason': 'DOUBLE_SPEND' }) }, 'failure', 'reorged'),
      refused(groups({ status: ['success', null] }), 400, 'filters[0].status'),
      refused(groups({}, { 'not:user': [null, WALLET] }), 400, 'filters[1].not:user'),
      ...['{', '{}', '[1]', '[{"state":"x"}]', '[{"status":"done"}]'].map((filters) => refused({ filters }, 400)),
    ],
  },
];
