import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { hashKey } from '../../src/api/key-format.js';
import { LiveAddressBook } from '../../src/capabilities/deposit-addresses/book.js';
import { requestOfAddress } from '../../src/capabilities/deposit-addresses/unwritten.js';
import type { Hex } from '../../src/contract/ids.js';
import { apiKeyRow, changeSet, insert } from '../../src/testing/store-fixtures.js';
import { address, NATIVE, OTHER_TOKEN, TOKEN } from './support/chain-double.js';
import { ask, type CallOptions, type RunningApi, runningApi, USER, withKey } from './support/running-api.js';

const OTHER = 'another-key-for-tests-0123456789';
const other = { headers: { 'x-api-key': OTHER } };
const MINUTE = 60_000;
const WEEK = 7 * 86_400_000;

let api: RunningApi;
let held: (currency: string) => Promise<bigint>;

beforeAll(async () => {
  api = await runningApi();
  await api.store.apply(changeSet(insert('apiKeys', apiKeyRow(2, { hash: hashKey(OTHER), integratorId: 'other' }))));
});
afterAll(() => api.close());
beforeEach(() => {
  held = async () => 0n;
  api.a.state.depositAddresses = {
    derive: (salt) => `0x${salt.slice(2, 42)}`,
    steps: () => [{ id: 'deposit', action: 'Pay', description: 'Pay', items: [{ data: { to: USER } }] }],
    sweeps: true,
    held: async (_, currency) => [await held(currency)],
  };
});
afterEach(() => api.reset());

async function made(change: object = {}, by: CallOptions = withKey) {
  const { status, body } = await api.call('POST', '/quote/v2', {
    ...by,
    body: ask({ useDepositAddress: true, ...change }),
  });
  expect(status, JSON.stringify(body)).toBe(200);
  const { depositAddress, requestId } = body.steps[0] as {
    readonly depositAddress: string;
    readonly requestId: string;
  };
  return { depositAddress, requestId };
}

describe('GET /deposit-addresses/v1', () => {
  const get = (query: string, by: CallOptions = withKey) => api.call('GET', `/deposit-addresses/v1?${query}`, by);

  it('finds an address, by itself in any spelling or by its request', async () => {
    const { depositAddress, requestId } = await made({ strict: true, refundTo: USER });
    const found = await get(`address=${depositAddress.toUpperCase().replace('0X', '0x')}`);
    expect(found).toMatchObject({
      status: 200,
      body: { depositAddress, requestId, type: 'strict', chainId: 1, currency: TOKEN, refundTo: USER },
    });
    expect(Date.parse(found.body.createdAt)).toBeGreaterThan(Date.now() - MINUTE);
    expect((await get(`requestId=${requestId.toUpperCase().replace('0X', '0x')}`)).body).toEqual(found.body);
    const open = await made();
    expect((await get(`requestId=${open.requestId}`)).body).toMatchObject({ type: 'open', refundTo: null });
  });

  it('keeps the swap sources of the quote for the transfers to come', async () => {
    const { requestId } = await made({ excludedSwapSources: ['pools'], disableOriginSwaps: true });
    const request = await requestOfAddress(api.store, requestId as Hex);
    expect(JSON.parse(request?.body ?? '').depositAddress.swaps).toEqual({
      excludedSwapSources: ['pools'],
      disableOriginSwaps: true,
    });
  });

  it('is for the key that asked for it: 401 without one, 404 for another', async () => {
    const { depositAddress } = await made();
    expect(await get(`address=${depositAddress}`, {})).toMatchObject({
      status: 401,
      body: { errorCode: 'UNAUTHORIZED' },
    });
    const unknown = { status: 404, body: { errorCode: 'REQUEST_NOT_FOUND' } };
    expect(await get(`address=${depositAddress}`, other)).toMatchObject(unknown);
    expect(await get(`address=${address('9')}`)).toMatchObject(unknown);
    expect(await get(`requestId=0x${'ab'.repeat(32)}`)).toMatchObject(unknown);
    const anonymous = await made({}, {});
    expect(await get(`address=${anonymous.depositAddress}`)).toMatchObject(unknown);
    expect(await get(`requestId=${anonymous.requestId}`)).toMatchObject(unknown);
  });

  it('names what is wrong with a question', async () => {
    for (const [query, field] of [
      ['', 'address'],
      ['address=nonsense', 'address'],
      ['requestId=0x12', 'requestId'],
    ])
      expect(await get(query ?? '')).toMatchObject({ status: 400, body: { errorData: { field } } });
  });
});

describe('POST /transactions/deposit-address/reindex', () => {
  const post = (body: object, by: CallOptions = {}) =>
    api.call('POST', '/transactions/deposit-address/reindex', { ...by, body });

  it('says what the address holds, by currency, and how many could not be read', async () => {
    const { depositAddress } = await made();
    held = async (currency) => {
      if (currency === OTHER_TOKEN) throw new Error('refused');
      return currency === NATIVE ? 5n : 0n;
    };
    expect(await post({ chainId: 1, depositAddress, targetChainId: 2, currency: TOKEN, sweep: true })).toMatchObject({
      status: 200,
      body: {
        triggeredCurrencies: [{ currency: NATIVE, symbol: 'ETH', balance: '5' }],
        checkedCurrencies: 4,
        failedCurrencies: 1,
      },
    });
  });

  it('makes a watcher look at an address that is out of use at once, and for a week', async () => {
    const { depositAddress, requestId } = await made();
    const clock = { now: () => Date.now() + api.clock.offset, monotonic: () => Date.now() + api.clock.offset };
    const book = new LiveAddressBook({ store: api.store, clock, metrics: { gauge: () => {} } }, api.a.adapter);
    // Another minute of the hour than that in which all addresses out of use are looked at.
    api.clock.offset = WEEK + MINUTE;
    await book.refresh();
    while (book.watched.has(depositAddress)) {
      api.clock.offset += MINUTE;
      await book.refresh();
    }
    await post({ chainId: 1, depositAddress });
    await book.refresh();
    expect(book.watched.get(depositAddress)).toMatchObject({ salt: requestId });
    const [row] = await api.store.addresses([`1:${depositAddress}`]);
    expect(row?.hotUntil).toBeGreaterThan(clock.now() + WEEK - MINUTE);
  });

  it('is refused more than once a minute for an address, and for what was never issued', async () => {
    const { depositAddress } = await made();
    expect((await post({ chainId: 1, depositAddress })).status).toBe(200);
    const again = await post({ chainId: 1, depositAddress }, withKey);
    expect(again).toMatchObject({ status: 429, body: { errorCode: 'RATE_LIMITED' } });
    expect(Number(again.headers.get('retry-after'))).toBeGreaterThan(50);
    expect((await post({ chainId: 1, depositAddress: (await made()).depositAddress })).status).toBe(200);
    api.clock.offset = MINUTE;
    expect((await post({ chainId: 1, depositAddress })).status).toBe(200);
    expect(await post({ chainId: 1, depositAddress: address('9') })).toMatchObject({ status: 404 });
    expect(await post({ chainId: 2, depositAddress })).toMatchObject({ status: 404 });
    expect(await post({ chainId: 77, depositAddress })).toMatchObject({
      status: 400,
      body: { errorCode: 'UNSUPPORTED_CHAIN' },
    });
    expect(await post({ chainId: 1, depositAddress: 'nonsense' })).toMatchObject({
      status: 400,
      body: { errorData: { field: 'depositAddress' } },
    });
  });
});

describe('elsewhere', () => {
  it('currency lists can be of what deposit addresses take', async () => {
    const { body } = await api.call('POST', '/currencies/v2', { body: { depositAddressOnly: true } });
    expect(new Set(body.map(({ chainId }: { readonly chainId: number }) => chainId))).toEqual(new Set([1]));
    expect(body).toHaveLength(4);
  });

  const ids = async (query: string) =>
    ((await api.call('GET', `/requests/v3?${query}`, withKey)).body.requests as { readonly id: string }[]).map(
      ({ id }) => id,
    );

  it('the listing finds the request of an unpaid address by what names it, where all else of the query fits', async () => {
    const { depositAddress, requestId } = await made();
    const { orderId = '' } = (await requestOfAddress(api.store, requestId as Hex)) ?? {};
    for (const query of [
      `id=${requestId}`,
      `id=${requestId}&includeChildRequests=true`,
      `orderId=${orderId}`,
      `depositAddress=${depositAddress}`,
      `depositAddress=${depositAddress}&features=deposit_address&originChainId=1`,
      `term=${depositAddress}`,
      `term=${requestId}`,
      `filters=${encodeURIComponent(JSON.stringify([{ status: 'success' }, { depositAddress }]))}`,
    ])
      expect(await ids(query), query).toEqual([requestId]);
    for (const query of [
      `id=${requestId}&status=success`,
      `depositAddress=${depositAddress}&features=fixed_rate`,
      `filters=${encodeURIComponent(JSON.stringify([{ 'not:id': requestId }]))}`,
    ])
      expect(await ids(query), query).not.toContain(requestId);
    const { body } = await api.call('GET', `/requests/v3?id=${requestId}&includeTotal=true`, withKey);
    expect(body.total).toBe(1);
    expect(body.requests[0]).toMatchObject({
      status: 'waiting',
      depositAddress: { address: depositAddress, type: 'open', depositor: null, depositTxHash: null },
    });
  });

  it('the listing finds a request by its address, by term, by its depositor and by feature', async () => {
    const { depositAddress, requestId } = await made();
    const depositor = address('8');
    const row = await requestOfAddress(api.store, requestId as Hex);
    if (row === undefined) return expect.fail('no request');
    await api.store.apply(
      changeSet({ op: 'insert', table: 'requests', row: { ...row, depositor, sender: depositor } }),
    );
    for (const query of [
      `depositAddress=${depositAddress}`,
      `term=${depositAddress}`,
      `term=${depositor}`,
      `user=${depositor}`,
      `user=${depositor}&features=deposit_address,fixed_rate`,
      `filters=${encodeURIComponent(JSON.stringify([{ depositAddress, 'not:user': null }]))}`,
    ])
      expect(await ids(query), query).toEqual([requestId]);
    expect(await ids(`user=${depositor}&features=fixed_rate`)).toEqual([]);
    expect(
      await ids(`user=${USER}&filters=${encodeURIComponent(JSON.stringify([{ depositAddress: null }]))}`),
    ).not.toContain(requestId);
    const { body } = await api.call('GET', `/requests/v3?id=${requestId}`, withKey);
    expect(body.requests[0].depositAddress).toEqual({
      ...{ address: depositAddress, type: 'open', depositor, depositTxHash: null, recoveryAddress: null },
    });
    const status = await api.call('GET', `/intents/status/v3?requestId=${requestId}`);
    expect(status.body).toMatchObject({ status: 'waiting', failReason: 'N/A' });
  });
});
