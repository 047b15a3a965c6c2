import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { catalogApi, HIDDEN_ID, KEY_WITH_GRANT } from './support/catalog-api.js';
import { address, TOKEN } from './support/chain-double.js';
import type { RunningApi } from './support/running-api.js';

let api: RunningApi;
beforeAll(async () => {
  api = await catalogApi();
});
afterEach(() => api.reset());
afterAll(() => api.close());

const UPPER = TOKEN.toUpperCase().replace('X', 'x');
const withGrant = { headers: { 'x-api-key': KEY_WITH_GRANT } };
const price = (search: string, version = '', options = {}) =>
  api.call('GET', `/currencies/token/price${version}?${search}`, options);

const WRONG = [
  ['a chain that is not served', `address=${TOKEN}&chainId=99`, 'UNSUPPORTED_CHAIN', 'chainId'],
  ['a hidden chain', `address=${TOKEN}&chainId=${HIDDEN_ID}`, 'UNSUPPORTED_CHAIN', 'chainId'],
  ['no address', 'address=nonsense&chainId=1', 'INVALID_REQUEST', 'address'],
  ['an unknown token', `address=${address('5')}&chainId=1`, 'UNSUPPORTED_CURRENCY', 'address'],
  ['no chain', `address=${TOKEN}`, 'INVALID_REQUEST', 'chainId'],
  ['a chain that is no number', `address=${TOKEN}&chainId=one`, 'INVALID_REQUEST', 'chainId'],
  ['nothing', 'chainId=1', 'INVALID_REQUEST', 'address'],
] as const;

describe('GET /currencies/token/price', () => {
  it('is a number, and exact text in v2', async () => {
    api.prices['usd-coin'] = '0.99981234567890123456';
    expect((await price(`address=${UPPER}&chainId=1`)).body).toEqual({ price: 0.9998123456789012 });
    expect((await price(`address=${UPPER}&chainId=1`, '/v2')).body).toEqual({ price: '0.99981234567890123456' });
  });

  it.each(WRONG)('refuses %s', async (_, search, errorCode, field) => {
    for (const version of ['', '/v2']) {
      expect(await price(search, version)).toMatchObject({ status: 400, body: { errorCode, errorData: { field } } });
    }
  });

  it('reports prices on a private chain to keys that were granted it', async () => {
    expect((await price(`address=${TOKEN}&chainId=${HIDDEN_ID}`, '', withGrant)).body).toEqual({ price: 1 });
  });

  it('gives no stale price, and none that is not known', async () => {
    api.prices['usd-coin'] = 'stale';
    expect(await price(`address=${TOKEN}&chainId=1`)).toMatchObject({
      status: 503,
      body: { errorCode: 'PRICE_FETCH_FAILED', retriable: true },
    });
    Reflect.deleteProperty(api.prices, 'usd-coin');
    expect(await price(`address=${TOKEN}&chainId=1`)).toMatchObject({
      status: 400,
      body: { errorCode: 'UNSUPPORTED_CURRENCY' },
    });
  });
});

describe('GET /chains/{chainId}/currencies/{address}', () => {
  const currency = (chain: string, text: string, options = {}) =>
    api.call('GET', `/chains/${chain}/currencies/${text}`, options);

  it('is the currency with its price and the age of it', async () => {
    expect((await currency('1', UPPER)).body).toEqual({
      chainId: 1,
      address: TOKEN,
      symbol: 'USDC',
      name: 'USDC on alpha',
      decimals: 6,
      metadata: { logoURI: 'https://logo.example/usdc.png', verified: true, isNative: false },
      vmType: 'evm',
      price: 1,
      priceUpdatedAt: 0,
    });
  });

  it('has null for a price that is not known or too old', async () => {
    api.prices['usd-coin'] = 'stale';
    expect((await currency('1', TOKEN)).body).toMatchObject({ price: null, priceUpdatedAt: null });
  });

  it('refuses what is not there', async () => {
    const rows = [
      ['x', TOKEN, 'INVALID_REQUEST'],
      ['99', TOKEN, 'UNSUPPORTED_CHAIN'],
      [String(HIDDEN_ID), TOKEN, 'UNSUPPORTED_CHAIN'],
      ['1', 'x', 'INVALID_REQUEST'],
      ['1', address('5'), 'UNSUPPORTED_CURRENCY'],
    ] as const;
    for (const [chain, text, errorCode] of rows) {
      expect(await currency(chain, text)).toMatchObject({ status: 400, body: { errorCode } });
    }
    expect((await currency(String(HIDDEN_ID), TOKEN, withGrant)).status).toBe(200);
  });
});
