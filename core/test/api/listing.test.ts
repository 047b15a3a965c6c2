import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { hashKey } from '../../src/api/key-format.js';
import { type ApiKeyRow, type RequestRow, SearchTimeoutError, type Store } from '../../src/contract/index.js';
import { featureBits } from '../../src/domain/features.js';
import { memoryStore } from '../../src/testing/index.js';
import { apiKeyRow } from '../../src/testing/store-fixtures.js';
import { address, chainDouble, NATIVE, OTHER_TOKEN, TOKEN } from './support/chain-double.js';
import { hash, requestOf, transactionOf } from './support/rows.js';
import { API_KEY, type Reply, type RunningApi, runningApi, withKey } from './support/running-api.js';

const DAY = 86_400_000;
const START = Date.UTC(2021, 0, 1);
const WALLET = address('5');

const OTHER_KEY = 'another-key-for-tests-0123456789';
const otherKey: ApiKeyRow = apiKeyRow(7, { id: 'key-other', hash: hashKey(OTHER_KEY), integratorId: 'integrator-2' });
const siblingKey: ApiKeyRow = apiKeyRow(8, { id: 'key-sibling', integratorId: 'integrator-1', name: null });

let api: RunningApi;
let rows: RequestRow[];

beforeAll(async () => {
  api = await runningApi();
  await insertKeys(api.store, otherKey, siblingKey);
  const back = { originChainId: 2, destinationChainId: 1 };
  const of = (n: number, ask: object, row: Partial<RequestRow>) =>
    requestOf(api, { user: WALLET, recipient: address(String(n)), ...ask }, { createdAt: START + n * DAY, ...row });
  rows = [
    await of(1, {}, { status: 'success', keyId: 'key-1', referrer: 'shop', amountUsd: 5_000_000, fillTimeMs: 900 }),
    await of(
      2,
      {},
      { status: 'refund', failReason: 'SLIPPAGE', keyId: 'key-other', referrer: 'shop', amountUsd: 1_500_000 },
    ),
    await of(3, back, {
      status: 'fallback',
      refundFailReason: 'MANUAL_REFUND_REQUIRED',
      amountUsd: null,
      fillTimeMs: 61_000,
    }),
    await of(
      4,
      { ...back, originCurrency: NATIVE, destinationCurrency: NATIVE, amount: '1000000000000000' },
      {
        status: 'pending',
        features: featureBits(['app_fees']),
        appFeesUsd: 2_000_000,
        amountUsd: 20_000_000,
        keyId: 'key-sibling',
        sender: null,
      },
    ),
    await of(
      5,
      { originCurrency: OTHER_TOKEN, amount: '5000000000000000000', destinationCurrency: OTHER_TOKEN },
      {
        status: 'depositing',
        requestType: 'Crosschain Swap',
        failReason: 'EXTERNAL_DEX_ERROR',
        depositAddress: address('7'),
        depositor: address('6'),
        amountUsd: 30_000_000,
        features: featureBits(['deposit_address', 'fixed_rate']),
        updatedAt: START + 50 * DAY,
      },
    ),
  ];
  for (const [n, role] of (['deposit', 'fill', 'refund', 'failed'] as const).entries()) {
    await transactionOf(api, rows[n]?.id ?? '0x', role, 800 + n);
  }
  await transactionOf(api, rows[3]?.id ?? '0x', 'deposit', 850, { chainId: 2 });
});
afterAll(() => api.close());

async function insertKeys(store: Store, ...keys: readonly ApiKeyRow[]): Promise<void> {
  const changes = keys.map((row) => ({ op: 'insert', table: 'apiKeys', row }) as const);
  expect(await store.apply({ name: 'test.keys', changes })).toEqual({ ok: true });
}

function list(query: Readonly<Record<string, string | number | boolean>>, options = withKey): Promise<Reply> {
  const texts = Object.fromEntries(Object.entries(query).map(([name, value]) => [name, String(value)]));
  return api.call('GET', `/requests/v3?${new URLSearchParams(texts)}`, options);
}

async function found(query: Readonly<Record<string, string | number | boolean>>): Promise<number[]> {
  const { status, body } = await list({ endTimestamp: START / 1000 + 3_000_000, ...query });
  expect(status, JSON.stringify(body)).toBe(200);
  return body.requests.map((one: { id: string }) => rows.findIndex((row) => row.id === one.id) + 1);
}

const grouped = (...groups: unknown[]) => found({ filters: JSON.stringify(groups) });

describe('every parameter', () => {
  it.each<[query: Record<string, string | number>, expected: number[]]>([
    [{ user: WALLET }, [5, 4, 3, 2, 1]],
    [{ user: address('6') }, [5]],
    [{ depositAddress: address('7').toUpperCase().replace('0X', '0x') }, [5]],
    [{ failReason: 'SLIPPAGE' }, [2]],
    [{ failReason: 'FLUID_DEX_ERROR' }, [5]],
    [{ failReason: 'EXTERNAL_DEX_ERROR' }, [5]],
    [{ failReason: 'N/A' }, [4, 3, 1]],
    [{ refundFailReason: 'MANUAL_REFUND_REQUIRED' }, [3]],
    [{ status: 'refund' }, [3, 2]],
    [{ status: 'depositing' }, [5]],
    [{ apiKey: 'key-1' }, [1]],
    [{ apiKey: API_KEY }, [1]],
    [{ apiKey: `${API_KEY}, ${OTHER_KEY}` }, [2, 1]],
    [{ apiKey: `${API_KEY}, key-other` }, [1]],
    [{ apiKey: 'key-other' }, []],
    [{ filters: '[{"apiKey":"key-other"}]' }, []],
    [{ apiKey: 'no-key' }, []],
    [{ requestType: 'crosschain SWAP' }, [5]],
    [{ requestType: 'Bridge' }, [4, 3, 2, 1]],
    [{ currencyInChainId: 2 }, [4, 3]],
    [{ currencyOutChainId: 2 }, [5, 2, 1]],
    [{ currencyInAddress: TOKEN }, [3, 2, 1]],
    [{ currencyOutAddress: OTHER_TOKEN.toUpperCase().replace('0X', '0x') }, [5]],
    [{ currencyInSymbol: 'eth' }, [4]],
    [{ currencyOutSymbol: 'DaI' }, [5]],
    [{ features: 'app_fees' }, [4]],
    [{ features: 'app_fees, fixed_rate' }, [5, 4]],
    [{ amountUsdMin: 1.5, amountUsdMax: 5 }, [2, 1]],
    [{ amountUsdMin: 1.500001, amountUsdMax: 4.999999 }, []],
    [{ appFeesAmountUsdMin: 0.01 }, [4]],
    [{ appFeesAmountUsdMax: 2, appFeesAmountUsdMin: 2 }, [4]],
    [{ fillTimeMax: 0.9 }, [1]],
    [{ fillTimeMin: 61, fillTimeMax: 61 }, [3]],
    [{ startBlock: 801, endBlock: 802 }, [3, 2]],
    [{ startBlock: 803 }, [4]],
    [{ startBlock: 803, originChainId: 2 }, [4]],
    [{ startBlock: 803, endBlock: 803, originChainId: 2 }, [4]],
    [{ startBlock: 802, endBlock: 802, originChainId: 2 }, []],
    [{ startTimestamp: START / 1000 + 3 * 86_400, endTimestamp: START / 1000 + 4 * 86_400 }, [4, 3]],
    [{ depositTxHash: hash(800), chainId: 1 }, [1]],
    [{ depositTxHash: hash(800), fillTxHash: hash(801) }, []],
  ])('%j', async (query, expected) => {
    expect(await found(query)).toEqual(expected);
  });

  it.each<readonly [what: string, term: () => string | undefined, expected: readonly number[]]>([
    ['a request id', () => rows[1]?.id, [2]],
    ['an order id', () => rows[2]?.orderId, [3]],
    ['a wallet', () => WALLET.toUpperCase().replace('0X', '0x'), [5, 4, 3, 2, 1]],
    ['a recipient', () => address('4'), [4]],
    ['a deposit address', () => address('7'), [5]],
    ['the hash of a deposit', () => hash(800), [1]],
    ['the hash of a fill', () => hash(801), [2]],
    ['the hash of a refund', () => hash(802), [3]],
    ['the hash of a failed transaction', () => hash(803).toUpperCase().replace('0X', '0x'), [4]],
    ['anything else', () => 'nothing', []],
  ])('term finds by %s', async (_, term, expected) => {
    expect(await found({ term: term() ?? '' })).toEqual(expected);
  });

  it.each([
    ['failReason', 'NOT_A_REASON'],
    ['refundFailReason', 'SLIPPAGE'],
    ['requestType', 'Swap'],
    ['features', 'fast'],
    ['features', 'app_fees,,fast_fill'],
    ['apiKey', ','],
    ['apiKey', ''],
    ['referrer', ''],
    ['amountUsdMin', '-1'],
    ['amountUsdMax', 'much'],
    ['fillTimeMin', 'NaN'],
    ['startBlock', '1.5'],
    ['endBlock', '-1'],
    ['currencyInChainId', 'alpha'],
    ['includeAuthenticatedData', 'maybe'],
    ['privateChainsToInclude', 'x'],
    ['apiKey', Array.from({ length: 51 }, (_, n) => `k${n}`).join(',')],
  ])('%s=%s: 400 with its name', async (name, value) => {
    expect(await list({ [name]: value })).toMatchObject({
      status: 400,
      body: { errorCode: 'INVALID_REQUEST', errorData: { field: name, reason: expect.any(String) } },
    });
  });
});

describe('sorting', () => {
  it('by createdAt, newest first unless asked otherwise', async () => {
    expect(await found({ sortBy: 'createdAt' })).toEqual([5, 4, 3, 2, 1]);
    expect(await found({ sortDirection: 'asc' })).toEqual([1, 2, 3, 4, 5]);
  });

  it('by amountUsd, least first unless asked otherwise, what has none last', async () => {
    const amounts = await found({ sortBy: 'amountUsd' });
    expect(amounts.at(-1)).toBe(3);
    expect(amounts.indexOf(2)).toBeLessThan(amounts.indexOf(1));
    expect((await found({ sortBy: 'amountUsd', sortDirection: 'desc' })).at(-1)).toBe(3);
  });

  it('by updatedAt, whose time the bounds then are', async () => {
    const bounds = { startTimestamp: START / 1000 + 49 * 86_400, endTimestamp: START / 1000 + 50 * 86_400 };
    expect(await found({ ...bounds, sortBy: 'updatedAt' })).toEqual([5]);
    expect(await found(bounds)).toEqual([]);
  });

  it.each(['createdAt', 'updatedAt', 'amountUsd'])('pages by %s show each once', async (sortBy) => {
    for (const sortDirection of ['asc', 'desc']) {
      const whole = await list({ user: WALLET, sortBy, sortDirection });
      const seen: string[] = [];
      let next: Record<string, string> = {};
      do {
        const { body } = await list({ user: WALLET, sortBy, sortDirection, limit: 2, ...next });
        seen.push(...body.requests.map((one: { id: string }) => one.id));
        next = body.continuation ? { continuation: body.continuation } : {};
      } while (next['continuation']);
      expect(seen).toEqual(whole.body.requests.map((one: { id: string }) => one.id));
      expect(seen).toHaveLength(5);
    }
  });

  it('a cursor of another sorting, filter or group is refused', async () => {
    const { continuation } = (await list({ user: WALLET, limit: 1 })).body;
    for (const change of [{ sortBy: 'updatedAt' }, { features: 'app_fees' }, { filters: '[{"status":"pending"}]' }]) {
      const reply = await list({ user: WALLET, continuation, ...change });
      expect(reply).toMatchObject({ status: 400, body: { errorData: { field: 'continuation' } } });
    }
    expect((await list({ user: WALLET, continuation, includeTotal: true })).body.total).toBe(5);
  });
});

describe('filters', () => {
  it('fields of a group are joined by and, groups by or', async () => {
    expect(await grouped({ status: 'refund', originChainId: 1 })).toEqual([2]);
    expect(await grouped({ status: 'refund', originChainId: 1 }, { status: 'depositing' })).toEqual([5, 2]);
    expect(await found({ originChainId: 1, filters: '[{"status":"refund"},{"status":"success"}]' })).toEqual([2, 1]);
    expect(await grouped()).toEqual([5, 4, 3, 2, 1]);
    expect(await grouped({})).toEqual([5, 4, 3, 2, 1]);
  });

  it('an array is any of its values, not: none of them', async () => {
    expect(await grouped({ status: ['pending', 'success'] })).toEqual([4, 1]);
    expect(await grouped({ 'not:status': ['pending', 'refund'] })).toEqual([5, 1]);
    expect(await grouped({ 'not:failReason': 'SLIPPAGE', 'not:status': 'success' })).toEqual([5, 4, 3]);
    expect(await grouped({ features: ['app_fees', 'fixed_rate'], 'not:chainId': 3 })).toEqual([5, 4]);
    expect(await grouped({ chainId: 1, originChainId: 2 })).toEqual([4, 3]);
  });

  it('null asks whether a field is missing, on every field that may be', async () => {
    expect(await grouped({ failReason: null })).toEqual([4, 3, 1]);
    expect(await grouped({ 'not:failReason': null })).toEqual([5, 2]);
    expect(await grouped({ apiKey: null })).toEqual([5, 3]);
    expect(await grouped({ depositAddress: [null] })).toEqual([4, 3, 2, 1]);
    expect(await grouped({ user: null })).toEqual([4]);
    expect(await grouped({ 'not:user': null })).toEqual([5, 3, 2, 1]);
    expect(await grouped({ currencyInSymbol: null })).toEqual([]);
    expect(await grouped({ 'not:originChainId': null })).toEqual([5, 4, 3, 2, 1]);
    expect(await grouped({ fillTxHash: null })).toEqual([5, 4, 3, 1]);
  });

  it.each([
    ['text that is no JSON', '{', 'filters'],
    ['an object', '{}', 'filters'],
    ['a group that is no object', '[1]', 'filters[0]'],
    ['a list as group', '[[]]', 'filters[0]'],
    ['null as group', '[{},null]', 'filters[1]'],
    ['an unknown field', '[{"state":"success"}]', 'filters[0].state'],
    ['a field of the prototype', '[{"constructor":"x"}]', 'filters[0].constructor'],
    ['null among values', '[{"status":["success",null]}]', 'filters[0].status'],
    ['null among values, negated', '[{"not:user":[null,"0x1"]}]', 'filters[0].not:user'],
    ['no values', '[{"status":[]}]', 'filters[0].status'],
    ['a wrong status', '[{"status":"done"}]', 'filters[0].status'],
    ['a number as wallet', '[{"user":5}]', 'filters[0].user'],
    ['an object as value', '[{"user":{}}]', 'filters[0].user'],
    ['a flag as chain', '[{"chainId":true}]', 'filters[0].chainId'],
    ['an empty text', '[{"recipient":""}]', 'filters[0].recipient'],
    ['a missing term', '[{"term":null}]', 'filters[0].term'],
    ['too many groups', JSON.stringify(Array(21).fill({})), 'filters'],
    ['too many values', JSON.stringify([{ chainId: Array(51).fill(1) }]), 'filters[0].chainId'],
  ])('%s: 400 with the place', async (_, filters, field) => {
    expect(await list({ filters })).toMatchObject({
      status: 400,
      body: { errorCode: 'INVALID_REQUEST', errorData: { field, reason: expect.any(String) } },
    });
  });

  it('the largest filter that is taken is answered', async () => {
    const wallets = Array.from({ length: 50 }, (_, n) => `0x${n.toString(16).padStart(40, '0')}`);
    const groups = Array.from({ length: 6 }, (_, n) => ({
      user: n === 0 ? wallets : [WALLET, ...wallets.slice(0, 40)],
    }));
    expect(await grouped(...groups)).toEqual([5, 4, 3, 2, 1]);
    const many = Array.from({ length: 20 }, () => ({ user: wallets.slice(0, 10), 'not:status': 'success' }));
    expect((await list({ filters: JSON.stringify(many), includeTotal: true })).body).toEqual({
      requests: [],
      total: 0,
    });
  });
});

describe('referrer', () => {
  it('finds exactly, among keys of the caller', async () => {
    expect(await found({ referrer: 'shop', apiKey: 'key-1' })).toEqual([1]);
    expect(await found({ referrer: 'shop', apiKey: `${API_KEY},key-sibling` })).toEqual([1]);
    expect(await found({ referrer: 'Shop', apiKey: 'key-1' })).toEqual([]);
    expect(await found({ apiKey: 'key-1,key-sibling', filters: '[{"not:referrer":"shop"}]' })).toEqual([4]);
  });

  it('without apiKey is 400, also inside of filters', async () => {
    for (const query of [
      { referrer: 'shop' },
      { filters: '[{"referrer":"shop"}]' },
      { filters: '[{},{"not:referrer":null}]' },
    ]) {
      expect(await list(query)).toMatchObject({ status: 400, body: { errorData: { field: 'referrer' } } });
    }
    expect(await list({ filters: '[{"referrer":"shop","apiKey":"key-1"}]' })).toMatchObject({ status: 400 });
    expect(await list({ apiKey: 'key-1', filters: '[{"referrer":""}]' })).toMatchObject({ status: 400 });
  });

  it('with a key of another account, or of no one, is 403', async () => {
    for (const apiKey of ['key-other', 'key-1,key-other', 'no-such-key']) {
      const refused = { status: 403, body: { errorCode: 'FORBIDDEN' } };
      expect(await list({ referrer: 'shop', apiKey })).toMatchObject(refused);
      expect(await list({ apiKey, filters: '[{"not:referrer":"shop"}]' })).toMatchObject(refused);
    }
  });

  it('by a caller without a key is 403', async () => {
    const open = await runningApi({
      options: { anonymousRead: 'by-user-or-id', rateLimits: {}, corsOrigins: ['*'], trustedProxies: [] },
    });
    const query = `user=${WALLET}&referrer=shop&apiKey=key-1`;
    expect(await open.call('GET', `/requests/v3?${query}`)).toMatchObject({ status: 403 });
    await open.close();
  });
});

describe('the id of a key', () => {
  it('finds nothing for those who have no key at all, who may look with the key itself', async () => {
    const open = await runningApi({
      options: { anonymousRead: 'by-user-or-id', rateLimits: {}, corsOrigins: ['*'], trustedProxies: [] },
    });
    try {
      const { id } = await requestOf(open, { user: WALLET }, { keyId: 'key-1' });
      const idsBy = async (apiKey: string) => {
        const { body } = await open.call('GET', `/requests/v3?user=${WALLET}&apiKey=${apiKey}`);
        return body.requests.map((one: { id: string }) => one.id);
      };
      expect(await idsBy('key-1')).toEqual([]);
      expect(await idsBy(API_KEY)).toEqual([id]);
    } finally {
      await open.close();
    }
  });

  it('of another integrator is as one of no one, also where it is excluded', async () => {
    const without = async (apiKey: string) =>
      (await list({ filters: JSON.stringify([{ 'not:apiKey': apiKey }]) })).body;
    expect(await without('key-other')).toEqual(await without('no-such-key'));
  });
});

describe('data of the owner', () => {
  const dataOf = async (n: number, options = withKey) =>
    (await list({ id: rows[n - 1]?.id ?? '', includeAuthenticatedData: true }, options)).body.requests[0].data;

  it('is shown for requests of any key of the same integrator', async () => {
    const data = await dataOf(1);
    expect(data).toMatchObject({ referrer: 'shop', apiKeyName: 'tests', platformFee: data.fees.quoted.platform });
    expect(await dataOf(4)).toMatchObject({ apiKeyName: null });
  });

  it('is not shown to others, without being asked for, or of requests without a key', async () => {
    const others = { headers: { 'x-api-key': OTHER_KEY } };
    expect(await dataOf(2, others)).toMatchObject({ referrer: 'shop' });
    for (const data of [
      await dataOf(1, others),
      await dataOf(2),
      await dataOf(3),
      (await list({ id: rows[0]?.id ?? '' })).body.requests[0].data,
    ]) {
      for (const field of ['referrer', 'platformFee', 'apiKeyName']) expect(data).not.toHaveProperty(field);
    }
  });
});

describe('private chains', () => {
  const UUID = '6f1c2c9a-0d4e-4c58-9a8e-0123456789ab';
  const OTHER_UUID = '7f1c2c9a-0d4e-4c58-9a8e-0123456789ab';

  it('are shown to keys that were granted them, and only when asked for', async () => {
    const store = memoryStore({ clock: { monotonic: () => 0 }, hiddenChains: () => [2] });
    await store.open();
    await insertKeys(store, apiKeyRow(1, { hash: hashKey(API_KEY), privateChains: JSON.stringify([UUID]) }), otherKey);
    const [a, b] = [chainDouble(1, 'alpha'), chainDouble(2, 'beta')];
    const facts = { ...b.adapter.facts, private: UUID };
    const hidden = await runningApi({
      store,
      chains: new Map([
        [1, a.adapter],
        [2, { ...b.adapter, facts }],
      ]),
    });
    const asOwner: RunningApi['call'] = (method, path, options) =>
      hidden.call(method, path, { ...options, ...withKey });
    const { id } = await requestOf({ ...hidden, store, call: asOwner } as never, { user: WALLET });
    const call = async (query: string, key = API_KEY) => {
      const { status, body } = await hidden.call('GET', `/requests/v3?${query}`, { headers: { 'x-api-key': key } });
      return [status, body.requests?.map((one: { id: string }) => one.id)];
    };
    expect(await call('')).toEqual([200, []]);
    expect(await call(`id=${id}`)).toEqual([200, []]);
    expect(await call(`privateChainsToInclude=${UUID}`)).toEqual([200, [id]]);
    expect(await call(`privateChainsToInclude=${UUID}`, OTHER_KEY)).toEqual([403, undefined]);
    expect(await call(`privateChainsToInclude=${UUID},${OTHER_UUID}`)).toEqual([403, undefined]);
    await hidden.close();
    await store.close();
  });
});

it('a search that the database abandons is 503 with advice, never a wait without end', async () => {
  const slow = await runningApi();
  const give = async () => {
    throw new SearchTimeoutError('no answer');
  };
  slow.store.search = give;
  expect(await slow.call('GET', '/requests/v3?status=pending', withKey)).toMatchObject({
    status: 503,
    body: { errorCode: 'SERVICE_UNAVAILABLE', retriable: true, message: expect.stringContaining('Name a user') },
  });
  await slow.close();
});
