import { expect } from 'vitest';
import type { ApiDeps } from '../../../core/src/api/index.js';
import { address, TOKEN } from '../../../core/test/api/support/chain-double.js';
import { hash } from '../../../core/test/api/support/rows.js';
import { API_KEY, ask } from '../../../core/test/api/support/running-api.js';
import { becomes, connect } from '../../../core/test/api/support/socket.js';
import { PRICED, quotes, refuses } from './asks.js';
import { pendingRequest } from './status-table.js';
import { type Ask, type Row, type Table, test } from './table.js';

const LIST = 'GET /requests/v3';
const OPTIONS: ApiDeps['options'] = { anonymousRead: 'off', rateLimits: {}, corsOrigins: ['*'], trustedProxies: [] };
const NOT_SERVED = 'UNSUPPORTED_EXECUTION_TYPE';
export const NONCE_MAPPING = {
  ...{ type: 'nonce-mapping', walletChainId: 1, wallet: address('1'), depositor: address('1'), nonce: 7 },
  ...{ id: hash(1), signatureChainId: 1 },
};
const row = (name: string, rule: string, ...asks: readonly Ask[]): Row => ({ name, rule, asks });
const shown = (name: string, rule: string, shows: NonNullable<Row['shows']>): Row => ({ name, rule, shows });
const WEBHOOKS = [
  test(
    'test/e2e/registered-webhooks.nightly.test.ts',
    'is informed of requests of its key alone, and the public libraries know every post as ours',
  ),
] as const;
const withOwn = { includeAuthenticatedData: true };

export const CAPABILITIES: Table = {
  title: 'Capabilities',
  endpoint: 'all',
  where: 'rule',
  rows: [
    row(
      '1 quote by exact input or output',
      'tradeType',
      ...quotes({ tradeType: 'EXACT_INPUT' }),
      ...quotes({ tradeType: 'EXACT_OUTPUT' }),
    ),
    row(
      '2 cross-chain calls',
      'made by the fill, on chains that make calls',
      ...quotes({ txs: [{ to: address('1'), value: '0', data: '0x' }] }),
    ),
    row('3 gasless execution', 'not served yet', {
      call: 'POST /execute',
      body: { executionKind: 'rawCalls', data: { chainId: 1, to: address('1'), data: '0x', value: '0' } },
      status: 400,
      has: { errorCode: NOT_SERVED },
    }),
    row('4 deposit addresses', 'not served yet', ...refuses({ useDepositAddress: true }, NOT_SERVED)),
    {
      ...row('5 status tracking', 'by polling, webhook, websocket and event stream', {
        call: 'GET /intents/status/v3',
        query: ({ seeds }) => ({ requestId: seeds.success.id }),
        has: { status: 'success' },
      }),
      shownBy: [
        test('core/test/api/ws.test.ts', 'reports changes in their order, to those who asked and no one else'),
        ...WEBHOOKS,
        test('test/e2e/resumed-events.nightly.test.ts', 'miss nothing and are sent nothing twice'),
      ],
    },
    row('6 search and listing', 'with filters, sorting and pages', {
      call: LIST,
      query: { limit: 1, sortBy: 'amountUsd', filters: '[{"status":"success"}]' },
      has: { requests: [{ status: 'success' }] },
    }),
    row('7 request types', 'a table of their own', {
      call: LIST,
      query: { requestType: 'Call' },
      has: { requests: [{ requestType: 'Call' }] },
    }),
    row('8 feature flags', 'a table of their own', {
      call: LIST,
      query: { features: 'gas_top_up', includeTotal: true },
      has: { total: 1 },
    }),
    row('9 chain families', 'a table of their own', { call: 'GET /chains', has: { chains: [{ vmType: 'evm' }, {}] } }),
  ],
};

export const DESCRIPTION: Table = {
  title: 'The machine-readable description',
  endpoint: 'GET /openapi.json',
  where: 'answer',
  rows: [
    row('title', 'cross-chain solver', {
      call: 'GET /openapi.json',
      as: 'noOne',
      has: { info: { title: 'Cross-chain solver' } },
    }),
    row('version', '1.0.0', {
      call: 'GET /openapi.json',
      as: 'noOne',
      has: { info: { version: '1.0.0' }, openapi: '3.1.0' },
    }),
  ],
};

const listed: Ask = { call: LIST, query: { limit: 1 }, has: { requests: [{}] } };

export const OTHER_ENDPOINTS: Table = {
  title: 'Other endpoints named',
  endpoint: 'all',
  where: 'answer',
  rows: [
    row('GET /requests/v2', 'deprecated predecessor of v3', {
      call: 'GET /requests/v2',
      query: { limit: 1 },
      has: { requests: [{}], deprecation: {} },
    }),
    row('GET /chains', 'entries carry explorerPaths.transaction', {
      call: 'GET /chains',
      as: 'noOne',
      has: { chains: [{ explorerPaths: { transaction: '/tx/{hash}' } }, { explorerPaths: {} }] },
    }),
    row(
      'POST /authorize',
      'depositor is an address; nonce mappings only where transactions have a nonce',
      {
        call: 'POST /authorize?signature=0x12',
        as: 'noOne',
        body: NONCE_MAPPING,
        status: 400,
        has: { errorCode: NOT_SERVED },
      },
      {
        call: 'POST /authorize?signature=0x12',
        as: 'noOne',
        body: { ...NONCE_MAPPING, depositor: 5 },
        status: 400,
        has: { errorCode: 'INVALID_REQUEST', errorData: { field: 'depositor' } },
      },
    ),
    row('GET /requests', 'as /requests/v2', {
      call: 'GET /requests',
      query: { limit: 1 },
      has: { requests: [{}], deprecation: {} },
    }),
    {
      name: 'GET /currencies/v2',
      rule: 'currencies that are known; clients post the same question',
      asks: [
        {
          call: 'POST /currencies/v2',
          as: 'noOne',
          body: { term: 'usdc', chainIds: [1] },
          judge: ({ body }) => expect(body).toMatchObject([{ address: TOKEN, vmType: 'evm' }]),
        },
        {
          call: 'GET /currencies/v2',
          as: 'noOne',
          query: { term: 'usdc' },
          judge: ({ body }) => expect(body).toMatchObject([{ symbol: 'USDC' }, { symbol: 'USDC' }]),
        },
      ],
    },
    row(
      'fast-fill action',
      '401 without a key, 403 without an address, 404 without a deposit',
      { call: 'POST /fast-fill', as: 'noOne', body: { requestId: hash(1) }, status: 401 },
      {
        call: 'POST /fast-fill',
        body: { requestId: hash(1) },
        status: 404,
        has: { errorCode: 'REQUEST_NOT_FOUND' },
      },
      { call: 'POST /fast-fill', as: 'other', body: { requestId: hash(1) }, status: 403 },
    ),
  ],
};

export const AUTHENTICATION: Table = {
  title: 'Authentication',
  endpoint: 'all',
  where: 'rule',
  rows: [
    row(
      '1 listing and execute require x-api-key',
      '401 without',
      { call: LIST, as: 'noOne', status: 401, has: { errorCode: 'UNAUTHORIZED' } },
      {
        call: 'POST /execute',
        as: 'noOne',
        body: { executionKind: 'rawCalls', data: { chainId: 1, to: 'x', data: '0x', value: '0' } },
        status: 401,
      },
      listed,
    ),
    shown(
      '2 keys are created by the operator of the service',
      'shown once, and accepted from then on',
      async ({ open }) => {
        const api = await open({});
        const admin = { headers: { 'x-admin-key': 'admin-key-for-tests-0123456789' } };
        const { integrator } = (await api.call('POST', '/admin/integrators', { ...admin, body: { name: 'app' } })).body;
        const made = await api.call('POST', '/admin/keys', { ...admin, body: { integratorId: integrator.id } });
        expect(made.status).toBe(200);
        const headers = { 'x-api-key': made.body.secret as string };
        expect((await api.call('GET', '/requests/v3', { headers })).status).toBe(200);
        const { keys } = (await api.call('GET', '/admin/keys', admin)).body;
        expect(JSON.stringify(keys)).not.toContain(made.body.secret);
      },
    ),
    row(
      '3 sponsored execution needs a linked funding address',
      '401 without a key, 403 without an address, 400 without a balance',
      ...quotes({ subsidizeFees: true, maxSubsidizationAmount: '100' }),
      ...refuses({ subsidizeFees: true }, 'UNAUTHORIZED', { status: 401, field: 'subsidizeFees' }).map((ask) => ({
        ...ask,
        as: 'noOne' as const,
      })),
      ...refuses({ subsidizeFees: true }, 'FORBIDDEN', { status: 403 }).map((ask) => ({
        ...ask,
        as: 'other' as const,
      })),
    ),
    row(
      '4 referrer, platformFee and apiKeyName only of own requests',
      'the integrator owns the request',
      {
        call: LIST,
        query: ({ seeds }) => ({ id: seeds.success.id, ...withOwn }),
        has: { requests: [{ data: { apiKeyName: 'tests', referrer: 'shop', platformFee: {} } }] },
      },
      {
        call: LIST,
        as: 'other',
        query: ({ seeds }) => ({ id: seeds.success.id, ...withOwn }),
        judge: ({ body }) => {
          for (const name of ['referrer', 'platformFee', 'apiKeyName'])
            expect(body.requests[0].data).not.toHaveProperty(name);
        },
      },
    ),
    {
      ...row(
        '5 a referrer filter requires apiKey',
        '400 without; 403 for keys of others and callers without an integrator',
        { call: LIST, query: { referrer: 'shop' }, status: 400 },
        { call: LIST, query: { referrer: 'shop', apiKey: 'key-other' }, status: 403, has: { errorCode: 'FORBIDDEN' } },
        { call: LIST, query: { referrer: 'shop', apiKey: 'no-such-key' }, status: 403 },
        { call: LIST, query: { referrer: 'shop', apiKey: API_KEY } },
      ),
      shows: async ({ open }) => {
        const api = await open({ options: { ...OPTIONS, anonymousRead: 'by-user-or-id' } });
        const reply = await api.call('GET', `/requests/v3?user=${address('1')}&referrer=shop&apiKey=key-1`);
        expect(reply).toMatchObject({ status: 403, body: { errorCode: 'FORBIDDEN' } });
      },
    },
    row(
      '6 quotes need no key',
      'a wrong one is refused',
      { call: 'POST /quote/v2', as: 'noOne', body: ask(), has: PRICED },
      { call: 'POST /quote/v2', as: 'noOne', headers: { 'x-api-key': 'guess' }, body: ask(), status: 401 },
    ),
    shown('7 keys have a format, scopes, and are rotated', 'checksum, scope, overlap', async ({ open }) => {
      const api = await open({});
      const admin = { headers: { 'x-admin-key': 'admin-key-for-tests-0123456789' } };
      const { integrator } = (await api.call('POST', '/admin/integrators', { ...admin, body: { name: 'app' } })).body;
      const body = { integratorId: integrator.id, scopes: ['quote'] };
      const { secret, key } = (await api.call('POST', '/admin/keys', { ...admin, body })).body;
      expect(secret).toMatch(/^cw_local_[0-9A-Za-z]{12}_[0-9A-Za-z]{38}$/);
      const status = async (one: string) =>
        (await api.call('GET', '/requests/v3', { headers: { 'x-api-key': one } })).status;
      expect(await status(secret)).toBe(403);
      const rotated = await api.call('POST', '/admin/keys/rotate', { ...admin, body: { keyId: key.id } });
      expect([await status(secret), await status(rotated.body.secret)]).toEqual([403, 403]);
      expect(
        (await api.call('POST', '/quote/v2', { headers: { 'x-api-key': rotated.body.secret }, body: ask() })).status,
      ).toBe(200);
    }),
  ],
};

const event = (name: string, rule: string, judge: (data: Readonly<Record<string, unknown>>) => void): Row =>
  shown(name, rule, async (world) => {
    const { api, request } = await pendingRequest(world);
    const client = await connect(api);
    const reported = async (status: string) => {
      for (;;) {
        const frame = await client.next();
        if (frame.event === 'request.status.updated' && frame.data.status === status) return frame.data;
      }
    };
    try {
      client.ask({ id: request.id });
      await reported('pending');
      await becomes(api, request.id, 'success');
      judge(await reported('success'));
    } finally {
      client.socket.terminate();
    }
  });

export const EVENTS: Table = {
  title: 'Events',
  endpoint: 'websocket',
  where: 'answer',
  rows: [
    {
      ...event('request.status.updated', 'the kind of event, by webhook and by websocket', (data) =>
        expect(data).toMatchObject({ status: 'success' }),
      ),
      shownBy: WEBHOOKS,
    },
    event('emitted when a status changes', 'after the current status', (data) =>
      expect(data['requestId']).toMatch(/^0x/),
    ),
    event('details', 'null when no context', (data) => expect(data['details']).toBeNull()),
    event('failReason', 'as on the status endpoint', (data) => expect(data['failReason']).toBe('N/A')),
    event('refundFailReason', 'as on the status endpoint', (data) => expect(data['refundFailReason']).toBe('N/A')),
    event('depositAddress', 'the object, null without a deposit address', (data) =>
      expect(data['depositAddress']).toBeNull(),
    ),
    {
      name: 'BVM deposits in the mempool',
      rule: 'pending, as soon as the deposit is there',
      shownBy: [
        test(
          'test/e2e/bitcoin-families.test.ts',
          'is pending as soon as a pool shows the deposit: the event comes before any block',
        ),
      ],
    },
    {
      ...row('webhooks', 'registered over REST, posted again until taken, signed, and described', {
        call: 'GET /asyncapi.json',
        as: 'noOne',
        judge: ({ body }) => {
          expect(JSON.stringify(body)).toContain('request.status.updated');
          expect(Object.keys(body.channels as object).join()).toMatch(/webhook/i);
        },
      }),
      shownBy: [
        ...WEBHOOKS,
        test(
          'test/e2e/registered-webhooks.nightly.test.ts',
          'hears later of what it refused, its log says why, and hears again what it asks for',
        ),
        test(
          'test/e2e/odd-receivers.nightly.test.ts',
          'harm no one but themselves, are sent nothing out of order, and are sent everything once they take it',
        ),
      ],
    },
  ],
};
