import { expect } from 'vitest';
import { RETIREMENT } from '../../../core/src/api/index.js';
import { OTHER_TOKEN } from '../../../core/test/api/support/chain-double.js';
import { ask, type Reply, type RunningApi, withKey } from '../../../core/test/api/support/running-api.js';
import { quotes, refuses } from './asks.js';
import { NONCE_MAPPING } from './service-table.js';
import { type Ask, type Row, type Table, test } from './table.js';
import type { World } from './world.js';

const LIST = 'GET /requests/v3';
const row = (name: string, rule: string, ...asks: readonly Ask[]): Row => ({ name, rule, asks });
const statusOf = (seed: 'failure' | 'success', has: unknown): Ask => ({
  call: 'GET /intents/status/v3',
  query: ({ seeds }) => ({ requestId: seeds[seed].id }),
  has,
});

export const PATHS: Table = {
  title: 'Versions in paths',
  endpoint: 'all',
  where: 'rule',
  rows: [
    row('/quote and /quote/v2', 'one body, one answer', ...quotes({})),
    row(
      '/requests/v2 and /requests/v3',
      'v3 is recommended',
      { call: LIST, judge: ({ body }) => expect(body).not.toHaveProperty('deprecation') },
      { call: 'GET /requests/v2', has: { deprecation: { successor: '/requests/v3' } } },
    ),
    row('/intents/status/v3', 'and its older shapes', statusOf('success', { status: 'success' }), {
      call: 'GET /intents/status/v2',
      query: ({ seeds }) => ({ requestId: seeds.success.id }),
      has: { status: 'success' },
    }),
    row('/currencies/v2', 'a list', {
      call: 'POST /currencies/v2',
      body: {},
      judge: ({ body }) => expect(body).toBeInstanceOf(Array),
    }),
  ],
};

async function legacyAnswers({ open }: World): Promise<{ api: RunningApi; replies: Reply[] }> {
  const at = Date.UTC(2026, 8, 1);
  const clock = { now: () => at, monotonic: () => at, sleep: async () => undefined, every: () => () => undefined };
  const rateLimits = { legacyRequests: { default: { requests: 4, seconds: 60 } } };
  const options = {
    anonymousRead: 'off',
    rateLimits,
    corsOrigins: ['*'],
    trustedProxies: [],
    retirement: RETIREMENT,
  } as const;
  const api = await open({ clock, options });
  const origin = { origin: 'https://app.example' };
  const get = (query: string, headers: Readonly<Record<string, string>> = withKey.headers) =>
    api.call('GET', `/requests/v2${query}`, { headers: { ...headers, ...origin } });
  const replies = [await get(''), await get('?limit=x'), await get('', {}), await get(''), await get('')];
  await api.store.close();
  replies.push(await get('', { 'x-api-key': 'nobody-knows-this-0123456789' }));
  await api.store.open();
  return { api, replies };
}

const onEveryAnswer = (name: string, rule: string, expected: string | RegExp): Row => ({
  name,
  rule,
  shows: async (world) => {
    const { replies } = await legacyAnswers(world);
    const statuses = replies.map(({ status }) => status);
    expect(statuses.slice(0, 4)).toEqual([200, 400, 401, 200]);
    expect(statuses.at(-1)).toBeGreaterThanOrEqual(500);
    for (const { headers } of replies) {
      expect(headers.get(name)).toMatch(expected);
      const exposed = headers.get('access-control-expose-headers')?.split(', ');
      expect(exposed).toContain(name);
    }
  },
});

export const DEPRECATION: Table = {
  title: 'Every /requests/v2 response',
  endpoint: 'GET /requests/v2',
  where: 'header',
  rows: [
    onEveryAnswer('Deprecation', 'structured-field date', /^@1784678400$/),
    onEveryAnswer('Sunset', 'HTTP-date', /^Tue, 24 Nov 2026 00:00:00 GMT$/),
    onEveryAnswer(
      'Link',
      'relations deprecation, sunset, successor-version',
      /rel="deprecation".*rel="sunset".*<\/requests\/v3>; rel="successor-version"/,
    ),
    {
      name: 'deprecation',
      rule: 'object of a 200: message, deprecatedAt, throttledFrom, sunsetAt, successor, migrationGuide',
      shows: async (world) => {
        const { replies } = await legacyAnswers(world);
        expect(replies[0]?.body.deprecation).toEqual({
          message: expect.any(String),
          deprecatedAt: '2026-07-22T00:00:00.000Z',
          throttledFrom: '2026-08-22T00:00:00.000Z',
          sunsetAt: '2026-11-24T00:00:00.000Z',
          successor: '/requests/v3',
          migrationGuide: expect.any(String),
        });
      },
    },
    {
      name: 'retired on 2026-11-24',
      rule: '410 with the same headers',
      shows: async ({ open }) => {
        const at = Date.UTC(2026, 10, 24);
        const clock = {
          now: () => at,
          monotonic: () => at,
          sleep: async () => undefined,
          every: () => () => undefined,
        };
        const options = { anonymousRead: 'off', rateLimits: {}, corsOrigins: ['*'], trustedProxies: [] } as const;
        const api = await open({ clock, options: { ...options, retirement: RETIREMENT } });
        const reply = await api.call('GET', '/requests/v2', withKey);
        expect(reply.status).toBe(410);
        for (const name of ['deprecation', 'sunset', 'link']) expect(reply.headers.get(name)).not.toBeNull();
      },
    },
  ],
};

export const BREAKING: Table = {
  title: 'Breaking changes',
  endpoint: 'all',
  where: 'rule',
  rows: [
    row(
      '2026-07-02',
      'includeProtocolSignature is not honoured any more, includeProtocolData is',
      {
        call: 'POST /quote/v2',
        body: ask({ includeProtocolSignature: true }),
        judge: ({ body }) => expect(body.protocol.v2).not.toHaveProperty('orderSignature'),
      },
      {
        call: 'POST /quote/v2',
        body: ask({ includeProtocolData: true }),
        has: { protocol: { v2: { orderSignature: expect.any(String) } } },
      },
    ),
    row(
      '2026-06-23',
      'slippage fields are integer strings 0 to 10000',
      ...refuses({ slippageTolerance: '0.5' }, 'INVALID_SLIPPAGE_TOLERANCE'),
      ...refuses({ latePaymentSlippageTolerance: '1e2' }, 'INVALID_SLIPPAGE_TOLERANCE'),
    ),
    row(
      '2026-05-29',
      'deposit transactions over 1232 bytes are 400',
      ...refuses({}, 'SOLANA_TX_TOO_LARGE', {
        given: ({ api }) => void Object.assign(api.a.state, { oversize: { bytes: 1_481, limit: 1_232 } }),
      }),
    ),
    row(
      '2026-04-28',
      'AMOUNT_TOO_LOW for tiny same-chain swaps',
      ...refuses({ destinationChainId: 1, destinationCurrency: OTHER_TOKEN, amount: '49999' }, 'AMOUNT_TOO_LOW'),
    ),
    row('2026-05-21', 'nonce mappings name a depositor', {
      call: 'POST /authorize?signature=0x12',
      body: { ...NONCE_MAPPING, depositor: undefined },
      status: 400,
      has: { errorCode: 'INVALID_REQUEST', errorData: { field: 'depositor' } },
    }),
  ],
};

export const BEHAVIOUR: Table = {
  title: 'Behaviour changes',
  endpoint: 'all',
  where: 'rule',
  rows: [
    row(
      '2026-08-13',
      'the size gate is 1232 bytes, as the chain of the deposit measures it',
      ...refuses({}, 'SOLANA_TX_TOO_LARGE', {
        given: ({ api }) => void Object.assign(api.a.state, { oversize: { bytes: 1_233, limit: 1_232 } }),
      }).map((one) => ({
        ...one,
        has: { message: 'The deposit transaction has 1233 bytes, 1 more than the limit of 1232' },
      })),
    ),
    row(
      '2026-07-28',
      'transient failures are 503 codes',
      ...refuses({}, 'SERVICE_UNAVAILABLE', {
        status: 503,
        given: ({ api }) => void Object.assign(api.b.state, { healthy: false }),
      }),
      ...refuses({}, 'PRICE_FETCH_FAILED', {
        status: 503,
        given: ({ api }) => void Object.assign(api.prices, { 'usd-coin': 'stale' }),
      }),
    ),
    {
      name: '2026-05-28',
      rule: 'pending on mempool sighting',
      shownBy: [
        test(
          'test/e2e/bitcoin-families.test.ts',
          'is pending as soon as a pool shows the deposit: the event comes before any block',
        ),
      ],
    },
    {
      ...row(
        '2026-05-07',
        'the excess of an overpayment is refunded; strict addresses are not served yet',
        ...refuses({ strict: true }, 'UNSUPPORTED_EXECUTION_TYPE'),
      ),
      shownBy: [test('test/e2e/refunds.test.ts', 'fills as quoted for more, and refunds the excess')],
    },
    row('2026-06-10', 'a reorged deposit is a failure in inTxs', {
      call: LIST,
      query: ({ seeds }) => ({ id: seeds.reorged.id }),
      has: { requests: [{ data: { failReason: 'DEPOSIT_REORGED', inTxs: [{ status: 'failure' }] } }] },
    }),
  ],
};

export const ADDITIONS: Table = {
  title: 'Additions',
  endpoint: 'all',
  where: 'rule',
  rows: [
    row(
      '2026-08-19',
      'referrer filter, paired with apiKey',
      { call: LIST, query: { referrer: 'shop', apiKey: 'key-1' }, finds: ['success'] },
      { call: LIST, query: { referrer: 'shop' }, status: 400 },
    ),
    row(
      '2026-08-07',
      'both reasons on the status endpoint',
      statusOf('failure', { failReason: 'TRANSACTION_REVERTED', refundFailReason: 'MANUAL_REFUND_REQUIRED' }),
      statusOf('success', { failReason: 'N/A', refundFailReason: 'N/A' }),
    ),
    row('2026-08-06', 'data.apiKeyName', {
      call: LIST,
      query: ({ seeds }) => ({ id: seeds.success.id, includeAuthenticatedData: true }),
      has: { requests: [{ data: { apiKeyName: 'tests' } }] },
    }),
    row(
      '2026-08-04',
      'null-check filters',
      {
        call: LIST,
        query: { filters: '[{"depositAddress":null,"not:failReason":null}]' },
        finds: ['refund', 'failure', 'child', 'reorged'],
      },
      { call: LIST, query: { filters: '[{"not:depositAddress":null}]' }, finds: ['depositing'] },
    ),
    row('2026-08-03', 'includeTotal', {
      call: LIST,
      query: { status: 'success', includeTotal: true },
      has: { total: 1 },
    }),
    row(
      '2026-07-27',
      'TRANSACTION_SUBMISSION_FAILED and TRANSACTION_NOT_INCLUDED',
      ...['TRANSACTION_SUBMISSION_FAILED', 'TRANSACTION_NOT_INCLUDED'].map(
        (failReason): Ask => ({
          call: LIST,
          query: { failReason },
          has: { requests: [{ data: { failReason } }] },
        }),
      ),
    ),
  ],
};
