import { parseEther } from 'viem';
import { describe, expect, it } from 'vitest';
import type { ErrorBody, Reply } from '../support/rest.js';
import { sharedWorld } from '../support/shared-world.js';
import { newAddress, pay, type User } from '../support/wallet.js';
import type { World } from '../support/world.js';

let world: World;
let good: Record<string, unknown>;
/** Of all orders here: one has five that succeed, the other none. */
let payers: { readonly lucky: User; readonly other: User };

sharedWorld(async (shared) => {
  world = shared;
  payers = { lucky: await world.user({ ETH: parseEther('10') }), other: await world.user() };
  good = {
    user: newAddress(),
    originChainId: world.a.id,
    destinationChainId: world.b.id,
    originCurrency: world.a.currency('ETH'),
    destinationCurrency: world.b.currency('ETH'),
    amount: parseEther('1').toString(),
    tradeType: 'EXACT_INPUT',
  };
});

function expectRefused(reply: Reply<ErrorBody>, status: number, errorCode?: string): void {
  expect(reply.status, JSON.stringify(reply.body)).toBe(status);
  expect(reply.body).toMatchObject({ statusCode: status, message: expect.any(String), retriable: expect.any(Boolean) });
  if (errorCode !== undefined) expect(reply.body.errorCode).toBe(errorCode);
}

const ABSENT = Symbol('absent');

describe('POST /quote/v2 refuses', () => {
  const stranger = '0x00000000000000000000000000000000000000aa';
  const table: readonly (readonly [string, Record<string, unknown>, number, string | undefined])[] = [
    ['an unknown origin chain', { originChainId: 99 }, 400, 'UNSUPPORTED_CHAIN'],
    ['an unknown destination chain', { destinationChainId: 99 }, 400, 'UNSUPPORTED_CHAIN'],
    ['a chain id that is text', { originChainId: 'alpha' }, 400, 'INVALID_REQUEST'],
    ['an unsupported currency', { originCurrency: stranger }, 400, undefined],
    ['a malformed currency', { destinationCurrency: '0x12' }, 400, undefined],
    ['a negative amount', { amount: '-1' }, 400, 'INVALID_REQUEST'],
    ['an amount with a point', { amount: '1.5' }, 400, 'INVALID_REQUEST'],
    ['an amount that is no number', { amount: 'ten' }, 400, 'INVALID_REQUEST'],
    ['an amount of another type', { amount: 7 }, 400, 'INVALID_REQUEST'],
    ['an absurdly large amount', { amount: '9'.repeat(400) }, 400, undefined],
    ['more than there is', { amount: parseEther('100000000').toString() }, 400, 'INSUFFICIENT_LIQUIDITY'],
    ['nothing', { amount: '0' }, 400, undefined],
    ['an unknown trade type', { tradeType: 'EXACT' }, 400, 'INVALID_REQUEST'],
    ['a missing user', { user: ABSENT }, 400, 'INVALID_REQUEST'],
    ['a user that is no address', { user: 'me' }, 400, undefined],
    ['a recipient that is no address', { recipient: '0x1234' }, 400, 'INVALID_ADDRESS'],
    ['slippage over 100 %', { slippageTolerance: '10001' }, 400, 'INVALID_SLIPPAGE_TOLERANCE'],
    ['slippage with a point', { slippageTolerance: '0.5' }, 400, 'INVALID_SLIPPAGE_TOLERANCE'],
    ['late slippage below zero', { latePaymentSlippageTolerance: '-1' }, 400, 'INVALID_SLIPPAGE_TOLERANCE'],
  ];

  it.each(table)('%s', async (_what, change, status, errorCode) => {
    const body = Object.fromEntries(Object.entries({ ...good, ...change }).filter(([, value]) => value !== ABSENT));
    const reply = await world.rest.refusedQuote(body);
    expectRefused(reply, status, errorCode);
    expect(reply.body.retriable).toBe(errorCode === 'INSUFFICIENT_LIQUIDITY');
  });

  it('a token contract as recipient', async () => {
    const reply = await world.rest.refusedQuote({ ...good, recipient: world.b.currency('USDC') });
    expectRefused(reply, 400, 'INVALID_RECIPIENT');
  });

  it('a body that is no JSON', async () => {
    expectRefused(await world.rest.call('POST', '/quote/v2', { raw: '{"user": ' }), 400, 'INVALID_REQUEST');
  });

  it('a body of the wrong shape', async () => {
    for (const body of [[], null, 'text', 7])
      expectRefused(await world.rest.refusedQuote(body), 400, 'INVALID_REQUEST');
  });

  it('a megabyte', async () => {
    const reply = await world.rest.refusedQuote({ ...good, referrer: 'x'.repeat(1024 * 1024) });
    expectRefused(reply, 413, 'INVALID_REQUEST');
  });

  it('names the field and the reason', async () => {
    const reply = await world.rest.refusedQuote({ ...good, amount: 'ten' });
    expect(reply.body.errorData?.field).toBe('amount');
    expect(reply.body.errorData?.reason).toEqual(expect.any(String));
  });
});

describe('POST /quote/v2 accepts', () => {
  it('fields that it does not know, with exactly 200', async () => {
    const reply = await world.rest.call('POST', '/quote/v2?referrer=somebody', { body: { ...good, tomorrow: true } });
    expect(reply.status).toBe(200);
  });
});

describe('GET /intents/status/v3', () => {
  it('does not know what was never quoted', async () => {
    for (const id of [`0x${'ab'.repeat(32)}`, 'nonsense', '']) {
      const reply = await world.rest.call<ErrorBody>('GET', `/intents/status/v3?requestId=${id}`);
      expect(reply.status, id).toBeGreaterThanOrEqual(400);
      expect(reply.status, id).toBeLessThan(500);
    }
    const reply = await world.rest.call<ErrorBody>('GET', `/intents/status/v3?requestId=0x${'ab'.repeat(32)}`);
    expectRefused(reply, 404, 'REQUEST_NOT_FOUND');
  });

  it('says N/A where nothing failed', async () => {
    const order = await world.order({ amount: parseEther('1'), user: payers.other });
    expect(await world.rest.status(order.requestId)).toMatchObject({
      status: 'waiting',
      failReason: 'N/A',
      refundFailReason: 'N/A',
      inTxHashes: [],
      txHashes: [],
      details: null,
    });
  });

  it('says UNKNOWN where a refund has no other name', async () => {
    const body = { referrer: 'debug-force-refund' };
    const order = await world.order({ amount: parseEther('1'), user: payers.other, body });
    await pay(order.from, order.user, order.quote);
    const status = await world.becomes(order, 'refund', { mining: true });
    expect(status).toMatchObject({ failReason: 'UNKNOWN', refundFailReason: 'N/A' });
  });
});

describe('GET /requests/v3', () => {
  it('wants a key', async () => {
    expectRefused(await world.rest.call('GET', '/requests/v3?limit=1'), 401);
    expectRefused(await world.rest.call('GET', '/requests/v3?limit=1', { key: 'a guess' }), 401);
  });

  it('pages through the requests of a user, newest first, each once', async () => {
    const user = payers.lucky;
    const ids: string[] = [];
    for (let i = 0; i < 5; i += 1) {
      const order = await world.order({ amount: parseEther('0.1'), user });
      await pay(order.from, user, order.quote);
      await world.becomes(order, 'success');
      ids.unshift(order.requestId);
    }
    const seen: string[] = [];
    let continuation: string | undefined;
    do {
      const page = await world.rest.requests({
        user: user.address,
        limit: 2,
        includeTotal: true,
        ...(continuation === undefined ? {} : { continuation }),
      });
      expect(page.requests.length).toBeLessThanOrEqual(2);
      expect(page.total).toBe(5);
      seen.push(...page.requests.map((request) => request.id));
      continuation = page.continuation;
    } while (continuation !== undefined);
    expect(seen).toEqual(ids);
  });

  it('refuses a cursor of another search, limits out of range and filters that are no list of groups', async () => {
    const { continuation } = await world.rest.requests({ limit: 1 });
    if (continuation === undefined) throw new Error('one page only');
    const key = world.rest.apiKey;
    const other = `/requests/v3?limit=1&sortDirection=asc&continuation=${encodeURIComponent(continuation)}`;
    expectRefused(await world.rest.call('GET', other, { key }), 400);
    expectRefused(await world.rest.call('GET', '/requests/v3?continuation=garbage', { key }), 400);
    expectRefused(await world.rest.call('GET', '/requests/v3?limit=0', { key }), 400);
    expectRefused(await world.rest.call('GET', '/requests/v3?limit=51', { key }), 400);
    for (const filters of ['{}', '[1]', '[{"state":"success"}]', '[{"status":[null,"success"]}]']) {
      const reply = await world.rest.call<ErrorBody>('GET', `/requests/v3?filters=${encodeURIComponent(filters)}`, {
        key,
      });
      expectRefused(reply, 400, 'INVALID_REQUEST');
      expect(reply.body.errorData?.field, filters).toMatch(/^filters/);
    }
  });

  it('finds by groups of filters what the chains were seen to do', async () => {
    const user = [payers.lucky.address, payers.other.address];
    const group = { user, status: 'success', currencyInSymbol: 'eth', 'not:fillTxHash': null };
    const ask = { limit: 50, includeTotal: true, filters: JSON.stringify([group]) };
    const { requests, total } = await world.rest.requests(ask);
    expect(total).toBe(5);
    expect(requests.map(({ status }) => status)).toEqual(Array(5).fill('success'));
    const none = JSON.stringify([{ ...group, 'not:status': 'success' }]);
    expect((await world.rest.requests({ ...ask, filters: none })).requests).toEqual([]);
  });
});

describe('GET /chains', () => {
  it('gives browser wallets all they need', async () => {
    const reply = await world.rest.call<{ chains: Record<string, unknown>[] }>('GET', '/chains?referrer=somebody');
    expect(reply.status).toBe(200);
    expect(reply.body.chains.map((chain) => chain['id'])).toEqual([world.a.id, world.b.id]);
    for (const chain of reply.body.chains) {
      expect(chain).toMatchObject({
        vmType: 'evm',
        displayName: expect.any(String),
        currency: { symbol: 'ETH', decimals: 18 },
        httpRpcUrl: expect.stringMatching(/^http/),
        explorerPaths: { transaction: expect.any(String) },
      });
    }
  });
});

describe('browsers', () => {
  it('may send the headers that public clients send', async () => {
    const response = await fetch(`${world.rest.baseUrl}/intents/status/v3`, {
      method: 'OPTIONS',
      headers: {
        origin: 'https://app.example.org',
        'access-control-request-method': 'GET',
        'access-control-request-headers': 'content-type, x-api-key, relay-sdk-version',
      },
    });
    expect(response.ok).toBe(true);
    const allowed = response.headers.get('access-control-allow-headers')?.toLowerCase() ?? '';
    for (const name of ['content-type', 'x-api-key', 'relay-sdk-version']) expect(allowed).toContain(name);
  });
});

describe('afterwards', () => {
  it('the chains show nothing lost and nothing doubled', async () => {
    await world.finalise();
    expect(await world.verdict()).toEqual([]);
  });
});
