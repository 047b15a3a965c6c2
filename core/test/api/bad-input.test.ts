import { connect } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { hashKey } from '../../src/api/key-format.js';
import { apiKeyRow, changeSet, insert } from '../../src/testing/store-fixtures.js';
import { ask, type Reply, type RunningApi, runningApi, withAdminKey, withKey } from './support/running-api.js';

let api: RunningApi;
beforeAll(async () => {
  api = await runningApi();
});
afterAll(() => api.close());

const HUGE = 'a'.repeat(300 * 1024);
const body = (change: Readonly<Record<string, unknown>>) => JSON.stringify(ask(change));
const without = (field: string) => JSON.stringify({ ...ask(), [field]: undefined });

const QUOTES: readonly [what: string, raw: string, field: string][] = [
  ['no body', '', 'body'],
  ['broken JSON', '{"user":', 'body'],
  ['half a UTF-8 character', '{"user":"\ud800', 'body'],
  ['a list', '[]', 'body'],
  ['null', 'null', 'body'],
  ['text', '"quote"', 'body'],
  ['deep nesting', '['.repeat(100_000), 'body'],
  ...[
    'user',
    'originChainId',
    'destinationChainId',
    'originCurrency',
    'destinationCurrency',
    'amount',
    'tradeType',
  ].map((field): [string, string, string] => [`no ${field}`, without(field), field]),
  ['a negative amount', body({ amount: '-1' }), 'amount'],
  ['a fraction', body({ amount: '1.5' }), 'amount'],
  ['an exponent', body({ amount: '1e18' }), 'amount'],
  ['hex', body({ amount: '0x10' }), 'amount'],
  ['blanks', body({ amount: ' 1' }), 'amount'],
  ['an empty amount', body({ amount: '' }), 'amount'],
  ['a number as amount', body({ amount: 1 }), 'amount'],
  ['an amount above 2^256 - 1', body({ amount: (2n ** 256n).toString() }), 'amount'],
  ['an absurd amount', body({ amount: '9'.repeat(78) }), 'amount'],
  ['an endless amount', body({ amount: '9'.repeat(10_000) }), 'amount'],
  ['a chain id as text', body({ originChainId: '1' }), 'originChainId'],
  ['a fractional chain id', body({ originChainId: 1.5 }), 'originChainId'],
  ['a negative chain id', body({ destinationChainId: -1 }), 'destinationChainId'],
  ['an unsafe chain id', body({ destinationChainId: 1e300 }), 'destinationChainId'],
  ['an unknown trade type', body({ tradeType: 'EXACT' }), 'tradeType'],
  ['a list as user', body({ user: [] }), 'user'],
  ['an object as recipient', body({ recipient: {} }), 'recipient'],
  ['an empty refundTo', body({ refundTo: '' }), 'refundTo'],
  ['a null referrer', body({ referrer: null }), 'referrer'],
  ['a ttl of zero', body({ ttl: 0 }), 'ttl'],
  ['a ttl as text', body({ ttl: '60' }), 'ttl'],
  ['a flag as text', body({ includeProtocolData: 'true' }), 'includeProtocolData'],
  ['app fees as object', body({ appFees: {} }), 'appFees'],
  ['an app fee without recipient', body({ appFees: [{ fee: '1' }] }), 'appFees[0].recipient'],
  ['too many app fees', body({ appFees: Array.from({ length: 17 }, () => ({ recipient: 'x', fee: '1' })) }), 'appFees'],
  ['a call without data', body({ txs: [{ to: 'x', value: '1' }] }), 'txs[0].data'],
  ['an endless user', body({ user: '0x'.padEnd(10_000, '1') }), 'user'],
];

describe('quotes', () => {
  it.each(QUOTES)('%s: 400 with field and reason', async (_, raw, field) => {
    const reply = await api.call('POST', '/quote/v2', { raw });
    expect(reply).toMatchObject({
      status: 400,
      body: {
        errorCode: 'INVALID_REQUEST',
        statusCode: 400,
        retriable: false,
        errorData: { field, reason: expect.any(String) },
      },
    });
    expect(reply.body.errorData.reason).not.toBe('');
  });

  it('the largest amount of 256 bits is an amount', async () => {
    const reply = await api.call('POST', '/quote/v2', { raw: body({ amount: (2n ** 256n - 1n).toString() }) });
    expect(reply.body).toMatchObject({ errorCode: 'INSUFFICIENT_LIQUIDITY', statusCode: 400 });
  });

  it('keys that touch prototypes change nothing', async () => {
    const raw = `${body({}).slice(0, -1)},"__proto__":{"recipient":"x","polluted":1},"constructor":{"prototype":{"polluted":1}}}`;
    const reply = await api.call('POST', '/quote/v2', { raw });
    expect(reply.status).toBe(200);
    expect(({} as { polluted?: number }).polluted).toBeUndefined();
    const only = await api.call('POST', '/quote/v2', { raw: `{"__proto__":${body({})}}` });
    expect(only.body).toMatchObject({ errorCode: 'INVALID_REQUEST', errorData: { field: 'user' } });
  });

  it.each(['text/plain', 'application/x-www-form-urlencoded', ''])('content type "%s" is refused', async (type) => {
    const reply = await api.call('POST', '/quote/v2', {
      raw: Buffer.from(body({})),
      headers: { 'content-type': type },
    });
    expect(reply).toMatchObject({ status: 400, body: { errorData: { field: 'content-type' } } });
  });

  it('a byte order mark before JSON is ignored, on every route that reads a body', async () => {
    const marked = await api.call('POST', '/quote/v2', { raw: `\ufeff${body({})}` });
    expect(marked.status).toBe(200);
    const { paths } = (await api.call('GET', '/openapi.json')).body as { readonly paths: Record<string, object> };
    const routes = Object.entries(paths).flatMap(([path, { post }]: [string, { post?: { requestBody?: object } }]) =>
      post?.requestBody === undefined ? [] : [path.replace(/\{\w+\}/g, 'x')],
    );
    expect(routes.length).toBeGreaterThan(10);
    for (const path of routes) {
      const answer = await api.call('POST', path, { ...withAdminKey, raw: '\ufeff{}' });
      expect(answer.body.errorData?.reason, path).not.toBe('is not valid JSON');
    }
    const twice = await api.call('POST', '/quote/v2', { raw: `\ufeff\ufeff${body({})}` });
    expect(twice.body.errorData).toMatchObject({ field: 'body', reason: 'is not valid JSON' });
  });

  it('JSON with a charset is JSON; a compressed body is refused by name', async () => {
    const typed = { 'content-type': 'application/json; charset=utf-8' };
    expect((await api.call('POST', '/quote/v2', { raw: body({}), headers: typed })).status).toBe(200);
    const packed = { 'content-encoding': 'gzip' };
    const reply = await api.call('POST', '/quote/v2', { raw: body({}), headers: packed });
    expect(reply.body.errorData).toMatchObject({ field: 'content-encoding' });
  });
});

describe('size', () => {
  it.each([300 * 1024, 1024 * 1024, 5 * 1024 * 1024])('%i bytes: 413, and the connection lives', async (size) => {
    const reply = await api.call('POST', '/quote/v2', { raw: body({ user: 'a'.repeat(size) }) });
    expect(reply).toMatchObject({
      status: 413,
      body: { errorCode: 'INVALID_REQUEST', statusCode: 413, errorData: { field: 'body' } },
    });
    expect((await api.call('POST', '/quote/v2', { raw: body({}) })).status).toBe(200);
  });

  it('exactly 256 KB is read', async () => {
    const filler = (length: number) => body({ extra: 'a'.repeat(length) });
    const fits = filler(256 * 1024 - filler(0).length);
    expect(Buffer.byteLength(fits)).toBe(256 * 1024);
    expect((await api.call('POST', '/quote/v2', { raw: fits })).status).toBe(200);
    expect((await api.call('POST', '/quote/v2', { raw: `${fits} ` })).status).toBe(413);
  });

  it('a client that hangs up in the middle of a body is no one’s 500', async () => {
    const port = Number(new URL(api.url).port);
    await new Promise<void>((resolve, reject) => {
      const socket = connect(port, '127.0.0.1', () => {
        socket.write(
          'POST /quote/v2 HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\ncontent-length: 100\r\n\r\n{',
        );
        setTimeout(() => socket.destroy(), 50);
      });
      socket.on('close', () => resolve());
      socket.on('error', reject);
    });
    await new Promise((resolve) => setTimeout(resolve, 50));
    expect((await api.call('GET', '/lives')).status).toBe(200);
    expect(api.logs.filter((line) => line.level === 'error')).toEqual([]);
  });
});

const INDEX: readonly [what: string, value: unknown, status: number, code: string, field: string][] = [
  ['no hash', { chainId: 1 }, 400, 'INVALID_REQUEST', 'txHash'],
  ['no chain', { txHash: `0x${'a'.repeat(64)}` }, 400, 'INVALID_REQUEST', 'chainId'],
  ['an unknown chain', { txHash: `0x${'a'.repeat(64)}`, chainId: '99' }, 400, 'UNSUPPORTED_CHAIN', 'chainId'],
  ['a chain by name', { txHash: `0x${'a'.repeat(64)}`, chainId: 'alpha' }, 400, 'INVALID_REQUEST', 'chainId'],
  ['a short hash', { txHash: '0x12', chainId: 1 }, 400, 'INVALID_REQUEST', 'txHash'],
  ['a hash with blanks', { txHash: `0x${' '.repeat(64)}`, chainId: 1 }, 400, 'INVALID_REQUEST', 'txHash'],
  ['a number as hash', { txHash: 5, chainId: 1 }, 400, 'INVALID_REQUEST', 'txHash'],
  [
    'a bad request id',
    { txHash: `0x${'a'.repeat(64)}`, chainId: 1, requestId: 'x' },
    400,
    'INVALID_REQUEST',
    'requestId',
  ],
];

describe('a hint at a transaction', () => {
  const txHash = `0x${'1'.repeat(64)}`;

  it.each([
    ['/transactions/index', { txHash }],
    ['/transactions/single', { txHash, requestId: txHash }],
  ])(
    '%s distinguishes a private chain from one that is not served to no one but those granted it',
    async (path, more) => {
      const hint = (chainId: number, headers = {}) => api.call('POST', path, { body: { chainId, ...more }, headers });
      const uuid = '6a1b1a44-8c4a-4b8e-9d5e-0f4a3c2b1d0e';
      const key = `granted-key-for-${path}`;
      const row = apiKeyRow(path.length, {
        hash: hashKey(key),
        scopes: '["*"]',
        privateChains: JSON.stringify([uuid]),
      });
      await api.store.apply(changeSet(insert('apiKeys', row)));
      const { facts } = api.b.adapter;
      Object.assign(api.b.adapter, { facts: { ...facts, private: uuid } });
      api.b.state.hints.length = 0;
      try {
        for (const headers of [{}, withKey.headers]) {
          const hidden = await hint(2, headers);
          const absent = await hint(3, headers);
          expect(hidden.status).toBe(absent.status);
          const said = ({ body: { message, errorCode, errorData } }: Reply) => ({ message, errorCode, errorData });
          expect(JSON.stringify(said(hidden)).replaceAll('hain 2 ', 'hain 3 ')).toBe(JSON.stringify(said(absent)));
        }
        expect(api.b.state.hints).toEqual([]);
        expect((await hint(2, { 'x-api-key': key })).status).toBe(200);
        expect(api.b.state.hints).toEqual([txHash]);
      } finally {
        Object.assign(api.b.adapter, { facts });
      }
    },
  );
});

describe('index', () => {
  it.each(INDEX)('%s', async (_, value, status, errorCode, field) => {
    const reply = await api.call('POST', '/transactions/index', { body: value });
    expect(reply).toMatchObject({ status, body: { errorCode, errorData: { field } } });
  });
});

const QUERIES: readonly [path: string, status: number, field: string | undefined][] = [
  ['/intents/status/v3', 400, 'requestId'],
  ['/intents/status/v3?requestId=', 400, 'requestId'],
  [`/intents/status/v3?requestId=${'a'.repeat(500)}`, 400, 'requestId'],
  ['/intents/status/v3?requestId=a&requestId=b', 400, 'requestId'],
  ['/intents/status/v3?requestId=abc', 404, undefined],
  [`/intents/status/v3?requestId=0x${'ab'.repeat(32)}`, 404, undefined],
  ['/requests/v3?limit=0', 400, 'limit'],
  ['/requests/v3?limit=51', 400, 'limit'],
  ['/requests/v3?limit=ten', 400, 'limit'],
  ['/requests/v3?limit=1.5', 400, 'limit'],
  ['/requests/v3?limit=5&limit=6', 400, 'limit'],
  ['/requests/v3?status=done', 400, 'status'],
  ['/requests/v3?sortBy=name', 400, 'sortBy'],
  ['/requests/v3?sortDirection=up', 400, 'sortDirection'],
  ['/requests/v3?includeTotal=maybe', 400, 'includeTotal'],
  ['/requests/v3?originChainId=alpha', 400, 'originChainId'],
  ['/requests/v3?startTimestamp=-1', 400, 'startTimestamp'],
  ['/requests/v3?endTimestamp=now', 400, 'endTimestamp'],
  ['/requests/v3?continuation=%7B%7D', 400, 'continuation'],
  ['/requests/v3?continuation=W10', 400, 'continuation'],
  ['/requests/v3?__proto__=1&constructor=1', 200, undefined],
  [`/requests/v3?id=${encodeURIComponent("' or 1=1 --")}`, 200, undefined],
  ['/requests/v3?user=%00', 400, 'user'],
  ['/requests/v3?user=%ff', 200, undefined],
];

describe('queries', () => {
  it.each(QUERIES)('%s: %i', async (path, status, field) => {
    const reply = await api.call('GET', path, withKey);
    expect(reply.status, JSON.stringify(reply.body)).toBe(status);
    if (field !== undefined) {
      expect(reply.body).toMatchObject({
        errorCode: 'INVALID_REQUEST',
        errorData: { field, reason: expect.any(String) },
      });
    }
  });
});

describe('paths', () => {
  it.each([
    '/nothing',
    '/quote/v3',
    '/%zz',
    '/%2e%2e/%2e%2e/nothing',
    `/${HUGE.slice(0, 4000)}`,
    '/plugins/a/%zz',
    '/plugins',
  ])('%s: 404 or 400, never 500', async (path) => {
    const reply = await api.call('GET', path);
    expect([400, 404]).toContain(reply.status);
    expect(reply.body.errorCode).toEqual(expect.any(String));
  });

  it('a path that nothing serves is 404', async () => {
    expect(await api.call('GET', '/nothing')).toMatchObject({
      status: 404,
      body: { errorCode: 'NOT_FOUND', statusCode: 404, retriable: false },
    });
  });

  it('a wrong method is 405 and names the right ones', async () => {
    const reply = await api.call('GET', '/quote/v2');
    expect(reply).toMatchObject({ status: 405, body: { errorCode: 'METHOD_NOT_ALLOWED', statusCode: 405 } });
    expect(reply.headers.get('allow')).toContain('POST');
    expect((await api.call('DELETE', '/chains')).status).toBe(405);
  });

  it('nothing above was logged as a failure', () => {
    expect(api.logs.filter((line) => line.level === 'error')).toEqual([]);
  });
});
