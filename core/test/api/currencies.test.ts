import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { catalogApi, HIDDEN_ID, KEY_WITH_GRANT } from './support/catalog-api.js';
import { CHECKED_TOKEN, NATIVE, OTHER_TOKEN, TOKEN } from './support/chain-double.js';
import type { RunningApi } from './support/running-api.js';

let api: RunningApi;
beforeAll(async () => {
  api = await catalogApi();
});
afterEach(() => api.reset());
afterAll(() => api.close());

const withGrant = { headers: { 'x-api-key': KEY_WITH_GRANT } };
const post = (body: unknown, options = {}) => api.call('POST', '/currencies/v2', { body, ...options });
const get = (search: string) => api.call('GET', `/currencies/v2?${search}`);
const names = (list: readonly { chainId: number; symbol: string }[]) =>
  list.map(({ chainId, symbol }) => `${chainId}:${symbol}`);
const found = async (body: unknown, options = {}) => names((await post(body, options)).body);

describe('POST /currencies/v2', () => {
  it('lists currencies as a bare array, each with the family of its chain', async () => {
    const { status, body } = await post({ chainIds: [1], limit: 2 });
    expect(status).toBe(200);
    expect(body[1]).toEqual({
      chainId: 1,
      address: TOKEN,
      symbol: 'USDC',
      name: 'USDC on alpha',
      decimals: 6,
      metadata: { logoURI: 'https://logo.example/usdc.png', verified: true, isNative: false },
      vmType: 'evm',
    });
    expect(body).toHaveLength(2);
  });

  const A = ['1:ETH', '1:USDC', '1:DAI', '1:BLK'];
  const B = ['2:ETH', '2:USDC', '2:DAI', '2:BLK'];
  const rows: readonly (readonly [string, Record<string, unknown>, readonly string[]])[] = [
    ['nothing asked: all, in the order of the config', {}, [...A, ...B]],
    ['chainIds', { chainIds: [2, 99] }, B],
    ['no chainIds: any', { chainIds: [] }, [...A, ...B]],
    ['a chain that is not served', { chainIds: [99] }, []],
    ['term, by symbol', { term: 'usd' }, ['1:USDC', '2:USDC']],
    ['term, by name, better matches first', { term: 'bl' }, ['1:BLK', '2:BLK']],
    ['term, anywhere in a name', { term: 'ON BETA' }, B],
    ['term, by address', { term: OTHER_TOKEN.toUpperCase().replace('X', 'x') }, ['1:DAI', '2:DAI']],
    ['term that nothing has', { term: 'nothing' }, []],
    ['address in any spelling', { address: TOKEN.toUpperCase().replace('X', 'x'), chainIds: [1] }, ['1:USDC']],
    ['address of no currency', { address: 'nonsense' }, []],
    ['currencyId as in /chains', { currencyId: 'ETH' }, ['1:ETH', '2:ETH']],
    ['currencyId as asset', { currencyId: 'usd-coin' }, ['1:USDC', '2:USDC']],
    ['tokens', { tokens: [`1:${NATIVE}`, `2:${CHECKED_TOKEN}`, `99:${TOKEN}`] }, ['1:ETH', '2:BLK']],
    ['verified', { verified: true, chainIds: [1] }, A],
    ['not verified', { verified: false }, []],
    ['defaultList', { defaultList: true, chainIds: [1] }, A],
    ['includeAllChains', { tokens: [`2:${TOKEN}`], includeAllChains: true }, ['2:USDC', '1:USDC']],
    ['limit', { limit: 1 }, ['1:ETH']],
    ['conditions together', { term: 'd', chainIds: [2], tokens: [`2:${OTHER_TOKEN}`] }, ['2:DAI']],
    ['unknown fields', { somethingNew: 1, limit: 1 }, ['1:ETH']],
  ];
  it.each(rows)('%s', async (_, body, expected) => {
    expect(await found(body)).toEqual(expected);
  });

  it('puts what begins with the term before what only has it inside', async () => {
    expect(await found({ term: 'd', chainIds: [1] })).toEqual(['1:DAI', '1:USDC']);
  });

  it('hides currencies of private chains from all but the keys that were granted them', async () => {
    const body = { chainIds: [HIDDEN_ID] };
    expect(await found(body)).toEqual([]);
    expect(await found(body, withGrant)).toHaveLength(4);
    expect(await found({ currencyId: 'eth', includeAllChains: true })).toEqual(['1:ETH', '2:ETH']);
  });

  it('names the field that is wrong', async () => {
    const wrong: readonly (readonly [string, Record<string, unknown>])[] = [
      ['tokens[1]', { tokens: [`1:${TOKEN}`, 'x'] }],
      ['limit', { limit: 0 }],
      ['limit', { limit: 1001 }],
      ['chainIds[0]', { chainIds: ['1'] }],
      ['verified', { verified: 'yes' }],
      ['term', { term: 5 }],
    ];
    for (const [field, body] of wrong) {
      expect(await post(body), field).toMatchObject({
        status: 400,
        body: { errorCode: 'INVALID_REQUEST', errorData: { field } },
      });
    }
  });

  it('lists only chains with deposit addresses where asked to', async () => {
    expect(await post({ depositAddressOnly: true })).toMatchObject({ status: 200, body: [] });
    expect(names((await post({ depositAddressOnly: false })).body).length).toBeGreaterThan(0);
  });
});

describe('GET /currencies/v2', () => {
  it('takes the same, with commas in lists', async () => {
    expect(names((await get(`chainIds=1,%202&currencyId=eth&verified=true`)).body)).toEqual(['1:ETH', '2:ETH']);
    expect(names((await get(`tokens=1:${TOKEN},2:${NATIVE}`)).body)).toEqual(['1:USDC', '2:ETH']);
    expect(names((await get('limit=1')).body)).toEqual(['1:ETH']);
  });

  it('names the field that is wrong', async () => {
    for (const [field, search] of [
      ['chainIds', 'chainIds=1,x'],
      ['tokens[0]', 'tokens=x'],
      ['limit', 'limit=no'],
    ] as const) {
      expect(await get(search)).toMatchObject({ status: 400, body: { errorData: { field } } });
    }
  });
});

describe('/currencies/v1', () => {
  it('lists by asset, and counts assets', async () => {
    const { status, body } = await api.call('POST', '/currencies/v1', { body: { limit: 2 } });
    expect(status).toBe(200);
    expect(body.map(names)).toEqual([
      ['1:ETH', '2:ETH'],
      ['1:USDC', '2:USDC'],
    ]);
    expect(body[1][0]).toMatchObject({ groupID: 'usd-coin', vmType: 'evm', address: TOKEN });
    expect((await api.call('GET', '/currencies/v1?limit=2')).body).toEqual(body);
  });
});
