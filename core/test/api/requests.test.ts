import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import type { RequestRow } from '../../src/contract/index.js';
import { address, NATIVE, TOKEN } from './support/chain-double.js';
import { depositOf, hash, refundLegOf, requestOf, transactionOf } from './support/rows.js';
import { type RunningApi, runningApi, USER, withKey } from './support/running-api.js';

let api: RunningApi;
beforeAll(async () => {
  api = await runningApi();
});
afterAll(() => api.close());

const list = async (query: string, options = withKey) => api.call('GET', `/requests/v3?${query}`, options);
const recordOf = async (id: string) => (await list(`id=${id}`)).body.requests[0];

describe('a record', () => {
  it('of a fill has everything: transactions, route, fees, protocol', async () => {
    const created = Date.UTC(2026, 0, 2, 3, 4, 5);
    const request = await requestOf(
      api,
      { appFees: [{ recipient: address('7'), fee: '100' }] },
      {
        status: 'success',
        createdAt: created,
        updatedAt: created + 1_000,
        fundingKey: `1:${hash(11)}:0`,
        actual: JSON.stringify({ amountIn: '100000000', currencyIn: TOKEN, amountOut: '98650000' }),
      },
    );
    const entry = {
      txHash: hash(11),
      fee: '21000',
      feeUsd: '0.042000',
      block: 11,
      type: 'onchain',
      chainId: 1,
      timestamp: 1_700_000_011,
      status: 'success',
      data: { from: USER, to: TOKEN, data: '0x', value: '0' },
      stateChanges: [],
    };
    await depositOf(api, request, 11);
    await transactionOf(api, request.id, 'deposit', 11, { entry: JSON.stringify(entry) });
    await transactionOf(api, request.id, 'fill', 12);
    const record = await recordOf(request.id);
    expect(record).toMatchObject({
      id: request.id,
      status: 'success',
      user: USER,
      sender: USER,
      refundTo: null,
      supersededByRequestId: null,
      depositAddress: null,
      parentRequestId: null,
      requestType: 'Bridge',
      features: ['app_fees'],
      createdAt: '2026-01-02T03:04:05.000Z',
      updatedAt: '2026-01-02T03:04:06.000Z',
      protocol: {
        orderId: request.orderId,
        hubType: 'onchain',
        solver: { address: api.solver, chainId: 'alpha' },
        deposit: { origin: { amount: '100000000', chainId: 'alpha', depositor: USER, transactionId: hash(11) } },
        settlement: { destination: { fills: [{ chainId: 'beta', transactionId: hash(12) }], refunds: [] } },
      },
    });
    const { data } = record;
    expect(data).toMatchObject({
      slippageTolerance: '50',
      failReason: null,
      refundFailReason: null,
      usesExternalLiquidity: false,
      timeEstimate: 2,
      inTxs: [entry],
      outTxs: [{ txHash: hash(12), block: 12, chainId: 2, type: 'onchain', status: 'success', fee: '0' }],
      route: {
        quoted: {
          origin: { inputCurrency: { amount: '100000000' }, outputCurrency: { amount: '100000000' }, router: 'relay' },
          destination: { outputCurrency: { amount: '98650000', minimumAmount: '98156750' } },
        },
        actual: {
          origin: { inputCurrency: { amount: '100000000' }, outputCurrency: { amount: '100000000' } },
          destination: { outputCurrency: { amount: '98650000', amountUsd: '98.650000' } },
          rate: '0.9865',
        },
      },
      fees: {
        quoted: {
          execution: { amount: '300000', usd: '0.300000' },
          platform: { amount: '50000' },
          app: { amount: '1000000' },
        },
        actual: { execution: { amount: '300000' }, swap: { amount: '0' }, sponsored: { amount: '0' } },
        currency: { symbol: 'USDC', chainId: 1 },
      },
      appFees: {
        quoted: [{ recipient: address('7'), bps: '100', amount: '1000000', amountFormatted: '1' }],
        actual: [{ amountUsd: '1.000000' }],
        currency: { symbol: 'USDC', metadata: { isNative: false } },
      },
      feeSponsorship: { quoted: { selectedComponents: [], capHit: false, sponsoredTotal: { amount: '0' } } },
      refundCurrencyData: null,
    });
    expect(data.appFees.quoted[0]).not.toHaveProperty('amountUsd');
    expect(Object.keys(data.feeSponsorship.actual.components)).toEqual([
      'execution',
      'swap',
      'platform',
      'app',
      'rent',
    ]);
    expect(data).not.toHaveProperty('failedTxHash');
  });

  it('of a deposit with no fill: actual output null, destination from the quote', async () => {
    const { id } = await requestOf(
      api,
      {},
      {
        actual: JSON.stringify({ amountIn: '70000000', currencyIn: TOKEN, amountOut: null }),
      },
    );
    const { route, fees } = (await recordOf(id)).data;
    expect(route.actual.origin.inputCurrency.amount).toBe('70000000');
    expect(route.actual.origin.outputCurrency).toBeNull();
    expect(route.actual.destination).toEqual(route.quoted.destination);
    expect(fees.actual).toBeNull();
  });

  it('of a deposit in another currency shows what arrived', async () => {
    const { id } = await requestOf(
      api,
      {},
      {
        status: 'refund',
        failReason: 'INCORRECT_DEPOSIT_CURRENCY',
        actual: JSON.stringify({ amountIn: '5', currencyIn: NATIVE, amountOut: null }),
      },
    );
    const { data } = await recordOf(id);
    expect(data.failReason).toBe('INCORRECT_DEPOSIT_CURRENCY');
    expect(data.route.actual.origin.inputCurrency).toMatchObject({ amount: '5', currency: { symbol: 'ETH' } });
    expect(data.route.quoted.origin.inputCurrency.currency.symbol).toBe('USDC');
  });

  it('of a failed fill: hash, block and call; the failed transaction is among outTxs', async () => {
    const call = { from: address('f'), to: address('e'), data: '0x12', value: '0' };
    const request = await requestOf(
      api,
      {},
      {
        status: 'refund',
        failReason: 'TRANSACTION_REVERTED',
        failed: JSON.stringify({ txHash: hash(21), block: 21, call }),
      },
    );
    await transactionOf(api, request.id, 'deposit', 20);
    await transactionOf(api, request.id, 'failed', 21);
    await transactionOf(api, request.id, 'refund', 22);
    await refundLegOf(api, request, 99_000_000n);
    const { data, protocol } = await recordOf(request.id);
    expect(data).toMatchObject({ failedTxHash: hash(21), failedTxBlockNumber: 21, failedCallData: call });
    expect(data.outTxs).toMatchObject([
      { txHash: hash(21), status: 'failure', chainId: 2 },
      { txHash: hash(22), status: 'success', chainId: 1 },
    ]);
    expect(data.refundCurrencyData).toMatchObject({ amount: '99000000', currency: { chainId: 1, symbol: 'USDC' } });
    expect(protocol.settlement.destination.refunds).toEqual([{ chainId: 'alpha', transactionId: hash(22) }]);
  });

  it('of a swap that its payer sent and that reverted: the call as its transaction has it', async () => {
    const failed = JSON.stringify({ txHash: hash(23), block: 23 });
    const request = await requestOf(api, {}, { status: 'failure', failReason: 'TRANSACTION_REVERTED', failed });
    const call = { from: address('f'), to: address('e'), data: '0x12', value: '7' };
    const described = (entry: object) =>
      transactionOf(api, request.id, 'deposit', 23, { status: 'failure', entry: JSON.stringify(entry) });
    await described({ data: { ...call, nonce: 1 } });
    expect((await recordOf(request.id)).data.failedCallData).toEqual(call);
  });

  it('shows a refund as what arrived where its token charges a fee on transfer, and prices none as taken where nothing was', async () => {
    const request = await requestOf(api, {}, { status: 'refund' });
    const before = (await recordOf(request.id)).data;
    expect(before.feeSponsorship.actual.userPaysTotal.amount).toBe('0');
    await refundLegOf(api, request, 99_000_000n);
    const change = { kind: 'token', balanceDiff: '98010000', data: { tokenKind: 'ft', tokenAddress: TOKEN } };
    await transactionOf(api, request.id, 'refund', 40, {
      id: `${request.id}:refund:refund:1:${request.id}`,
      entry: JSON.stringify({ stateChanges: [{ address: request.user, change }] }),
    });
    expect((await recordOf(request.id)).data.refundCurrencyData).toMatchObject({ amount: '98010000' });
  });

  it('leaves out a deposit that no block has', async () => {
    const { id } = await requestOf(api);
    await transactionOf(api, id, 'deposit', 41, { block: null, timestamp: null });
    expect((await recordOf(id)).data.inTxs).toEqual([]);
  });

  it('of a fill refused in simulation has only the call', async () => {
    const call = { from: 'a', to: 'b', data: '0x', value: '0' };
    const { data } = await recordOf((await requestOf(api, {}, { failed: JSON.stringify({ call }) })).id);
    expect(data.failedCallData).toEqual(call);
    expect(data).not.toHaveProperty('failedTxHash');
  });

  it('shows a reorged deposit as failure, even where it had been described', async () => {
    const { id } = await requestOf(api, {}, { status: 'failure', failReason: 'DEPOSIT_REORGED' });
    const entry = JSON.stringify({
      txHash: hash(30),
      fee: '1',
      feeUsd: '0',
      block: 1,
      type: 'onchain',
      chainId: 1,
      status: 'success',
    });
    await transactionOf(api, id, 'deposit', 30, { status: 'failure', entry });
    expect((await recordOf(id)).data.inTxs).toMatchObject([{ txHash: hash(30), status: 'failure', fee: '1' }]);
  });

  it('of a transfer that named no order of the service needs no quote', async () => {
    const donor = await requestOf(api);
    const body = JSON.parse(donor.body);
    Object.assign(body, {
      order: { ...body.order, inputs: [] },
      destination: body.origin,
      terms: { ...body.terms, inUsd: '0', outUsd: '0', relayerGas: '0', serviceFloor: '0', serviceBps: 0 },
      fees: { gas: '0', relayerGas: '0', relayerService: '0', app: '0' },
      amountOut: '0',
      minimumAmount: '0',
      origin: { chainId: 1, currency: address('9'), symbol: '', decimals: 0 },
    });
    const { id } = await requestOf(api, {}, { failReason: 'ORPHANED_DEPOSIT_REFUND', body: JSON.stringify(body) });
    const record = await recordOf(id);
    expect(record.data.failReason).toBe('ORPHANED_DEPOSIT_REFUND');
    expect(record.data.route.quoted.origin.inputCurrency).toMatchObject({
      amountUsd: '0',
      currency: { address: address('9') },
    });
  });

  it('shows a fallback as the list knows it', async () => {
    const { id } = await requestOf(api, {}, { status: 'fallback' });
    expect((await recordOf(id)).status).toBe('refund');
    expect((await list(`id=${id}&status=refund`)).body.requests).toHaveLength(1);
  });
});

describe('filters', () => {
  const day = (n: number) => Date.UTC(2020, 0, n);
  const user = address('5');
  let rows: RequestRow[];
  beforeAll(async () => {
    rows = [];
    for (let n = 1; n <= 5; n += 1) {
      rows.push(
        await requestOf(
          api,
          { user, recipient: address(String(n)), ...(n > 3 ? { originChainId: 2, destinationChainId: 1 } : {}) },
          {
            createdAt: day(n),
            status: n === 5 ? 'success' : n === 4 ? 'failure' : 'pending',
          },
        ),
      );
    }
    await requestOf(
      api,
      { user },
      { id: hash(500), orderId: hash(501), parentRequestId: rows[0]?.id ?? null, createdAt: day(6) },
    );
    for (const [index, role] of (['deposit', 'fill', 'refund'] as const).entries()) {
      await transactionOf(api, rows[index]?.id ?? '0x', role, 900 + index);
    }
  });
  const ids = async (query: string) =>
    (await list(`user=${user}&${query}`)).body.requests.map((request: { id: string }) =>
      request.id === hash(500) ? 6 : rows.findIndex((row) => row.id === request.id) + 1,
    );

  it('user alone gives all of its own, newest first, in any spelling', async () => {
    expect(await ids('')).toEqual([6, 5, 4, 3, 2, 1]);
    expect(await ids('sortDirection=asc')).toEqual([1, 2, 3, 4, 5, 6]);
    const upper = user.toUpperCase().replace('0X', '0x');
    expect((await list(`user=${upper}`)).body.requests).toHaveLength(6);
    expect((await list(`user=${address('6')}`)).body.requests).toEqual([]);
  });

  it.each([
    ['status=pending', [6, 3, 2, 1]],
    ['status=success', [5]],
    ['status=depositing', []],
    ['originChainId=2', [5, 4]],
    ['destinationChainId=2', [6, 3, 2, 1]],
    ['chainId=1', [6, 5, 4, 3, 2, 1]],
    ['chainId=1&originChainId=2', [5, 4]],
    [`recipient=${address('3')}`, [3]],
    [`depositTxHash=${hash(900)}`, [1]],
    [`fillTxHash=${hash(901)}`, [2]],
    [`refundTxHash=${hash(902).toUpperCase().replace('0X', '0x')}`, [3]],
    [`fillTxHash=${hash(900)}`, []],
    [`startTimestamp=${day(2) / 1000}&endTimestamp=${day(3) / 1000}`, [3, 2]],
    [`startTimestamp=${day(2) / 1000 + 1}&endTimestamp=${day(3) / 1000 - 1}`, []],
  ])('%s', async (query, expected) => {
    expect(await ids(query)).toEqual(expected);
  });

  it('the last second of a bound is included', async () => {
    const { id } = await requestOf(api, { user: address('8') }, { createdAt: day(10) + 999 });
    const found = (await list(`user=${address('8')}&endTimestamp=${day(10) / 1000}`)).body.requests;
    expect(found.map((one: { id: string }) => one.id)).toEqual([id]);
  });

  it('id gives the exact match, with includeChildRequests its children; without id that does nothing', async () => {
    const parent = rows[0]?.id;
    expect(await ids(`id=${parent}`)).toEqual([1]);
    expect(await ids(`id=${parent}&includeChildRequests=true`)).toEqual([6, 1]);
    expect((await recordOf(hash(500))).parentRequestId).toBe(parent);
  });

  it('the id of a quote that was never funded gives its children, by id as by term', async () => {
    const [unpaid, child] = [hash(700), hash(701)];
    await requestOf(api, { user: address('9') }, { id: child, orderId: hash(702), parentRequestId: unpaid });
    const filters = (id: unknown) => `filters=${encodeURIComponent(JSON.stringify([{ id }]))}`;
    for (const query of [filters(unpaid), filters([unpaid, hash(999)])])
      expect((await list(query)).body.requests.map(({ id }: { id: string }) => id)).toEqual([child]);
    for (const query of [`id=${unpaid}`, `id=${unpaid.toUpperCase().replace('0X', '0x')}`, `term=${unpaid}`]) {
      const { body } = await list(query);
      expect(body.requests.map((one: { id: string }) => one.id)).toEqual([child]);
    }
    expect((await list(`id=${unpaid}&status=success`)).body.requests).toEqual([]);
  });

  it('orderId', async () => {
    const { body } = await list(`orderId=${rows[1]?.orderId}`);
    expect(body.requests.map((one: { id: string }) => one.id)).toEqual([rows[1]?.id]);
  });
});

describe('pages', () => {
  const user = address('4');
  beforeAll(async () => {
    for (let n = 0; n < 7; n += 1) await requestOf(api, { user }, { createdAt: 1_600_000_000_000 + (n >> 1) });
  });

  it.each(['asc', 'desc'])('%s: each row once, no cursor on the last page', async (direction) => {
    const seen: string[] = [];
    let continuation: string | undefined;
    let pages = 0;
    do {
      const next = continuation === undefined ? '' : `&continuation=${continuation}`;
      const { status, body } = await list(`user=${user}&limit=3&sortDirection=${direction}${next}`);
      expect(status).toBe(200);
      seen.push(...body.requests.map((one: { id: string }) => one.id));
      continuation = body.continuation;
      pages += 1;
    } while (continuation !== undefined);
    expect(pages).toBe(3);
    expect(new Set(seen).size).toBe(7);
  });

  it('ends early where its records are long, in every order, and shows each once', async () => {
    const failed = JSON.stringify({ call: { from: user, to: user, data: 'f'.repeat(700_000), value: '0' } });
    const long = `0x${'ab'.repeat(20)}`;
    for (let n = 0; n < 7; n += 1)
      await requestOf(api, { user: long }, { failed, createdAt: 1_600_000_000_000 + (n >> 1) });
    for (const sortBy of ['createdAt', 'updatedAt', 'amountUsd']) {
      const seen: string[] = [];
      let next = '';
      do {
        const { body } = await list(`user=${long}&limit=50&sortBy=${sortBy}${next}`);
        expect(body.requests).toHaveLength(seen.length < 6 ? 2 : 1);
        seen.push(...body.requests.map((one: { id: string }) => one.id));
        next = body.continuation === undefined ? '' : `&continuation=${body.continuation}`;
      } while (next !== '');
      expect(new Set(seen).size).toBe(7);
    }
  });

  it('a cursor belongs to its filters and order; the page size may change', async () => {
    const { body } = await list(`user=${user}&limit=2`);
    const more = (query: string) => list(`${query}&continuation=${body.continuation}`);
    expect((await more(`user=${user}&limit=5`)).body.requests).toHaveLength(5);
    for (const query of [`user=${user}&status=pending`, `user=${address('3')}`, `user=${user}&sortDirection=asc`]) {
      expect(await more(query)).toMatchObject({ status: 400, body: { errorData: { field: 'continuation' } } });
    }
  });

  it('total is exact, independent of page and cursor, and only there when asked for', async () => {
    const first = (await list(`user=${user}&limit=2&includeTotal=true`)).body;
    expect(first.total).toBe(7);
    const second = (await list(`user=${user}&limit=2&includeTotal=true&continuation=${first.continuation}`)).body;
    expect(second.total).toBe(7);
    expect((await list(`user=${user}`)).body).not.toHaveProperty('total');
  });
});

describe('listing without a key', () => {
  it('is refused by default, and allowed by user or id where the operator says so', async () => {
    expect((await list(`user=${USER}`, { headers: {} } as never)).status).toBe(401);
    const open = await runningApi({
      options: {
        anonymousRead: 'by-user-or-id',
        rateLimits: {},
        corsOrigins: ['*'],
        trustedProxies: [],
      },
    });
    onTestFinished(() => open.close());
    const get = (query: string) => open.call('GET', `/requests/v3?${query}`);
    expect((await get(`user=${USER}`)).status).toBe(200);
    expect((await get(`id=${hash(1)}`)).status).toBe(200);
    expect((await get('')).status).toBe(401);
    expect((await get(`orderId=${hash(1)}`)).status).toBe(401);
  });
});
