import { afterAll, afterEach, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { CommitUnknownError, DatabaseWentBackError } from '../../src/contract/index.js';
import { address, BURN, CHECKED_TOKEN, NATIVE, OTHER_TOKEN, TOKEN } from './support/chain-double.js';
import { ask, POLICY, type RunningApi, runningApi, USER } from './support/running-api.js';

let api: RunningApi;
beforeAll(async () => {
  api = await runningApi();
});
afterEach(() => api.reset());
afterAll(() => api.close());

async function refusal(change: Readonly<Record<string, unknown>>) {
  const { status, body } = await api.call('POST', '/quote/v2', { body: ask(change) });
  expect(body.statusCode).toBe(status);
  expect(body.message).toEqual(expect.any(String));
  expect(body.retriable).toEqual(expect.any(Boolean));
  return {
    status,
    code: body.errorCode,
    field: body.errorData?.field,
    retriable: body.retriable,
    message: body.message,
  };
}

describe('errors of the interface, in its order', () => {
  it('INVALID_ADDRESS: a recipient that is not an address of the destination', async () => {
    expect(await refusal({ recipient: '0x12' })).toMatchObject({
      status: 400,
      code: 'INVALID_ADDRESS',
      field: 'recipient',
    });
  });

  it('INVALID_ADDRESS also for user and refundTo', async () => {
    expect(await refusal({ user: 'me' })).toMatchObject({ code: 'INVALID_ADDRESS', field: 'user' });
    expect(await refusal({ refundTo: 'me' })).toMatchObject({ code: 'INVALID_ADDRESS', field: 'refundTo' });
    expect(await refusal({ refundTo: TOKEN })).toMatchObject({ code: 'INVALID_ADDRESS', field: 'refundTo' });
  });

  it('INVALID_RECIPIENT: a recipient that is a supported token contract', async () => {
    expect(await refusal({ recipient: OTHER_TOKEN })).toMatchObject({ status: 400, code: 'INVALID_RECIPIENT' });
    expect(await refusal({ recipient: address('d') })).toMatchObject({ code: 'INVALID_RECIPIENT' });
  });

  it('INVALID_ADDRESS comes before INVALID_RECIPIENT, that before INVALID_SLIPPAGE_TOLERANCE', async () => {
    const wrong = { slippageTolerance: 'much', originCurrency: 'none' };
    expect((await refusal({ ...wrong, recipient: 'nobody' })).code).toBe('INVALID_ADDRESS');
    expect((await refusal({ ...wrong, recipient: TOKEN })).code).toBe('INVALID_RECIPIENT');
    expect((await refusal(wrong)).code).toBe('INVALID_SLIPPAGE_TOLERANCE');
  });

  it.each(['-1', '10001', '1.5', '', ' 5', '0x10', '1e2', 50, true, [], {}])(
    'INVALID_SLIPPAGE_TOLERANCE: %j, in both fields',
    async (value) => {
      for (const field of ['slippageTolerance', 'latePaymentSlippageTolerance']) {
        expect(await refusal({ [field]: value })).toMatchObject({
          status: 400,
          code: 'INVALID_SLIPPAGE_TOLERANCE',
          field,
        });
      }
    },
  );

  it.each(['0', '10000'])('slippage %s is allowed', async (slippageTolerance) => {
    expect((await api.call('POST', '/quote/v2', { body: ask({ slippageTolerance }) })).status).toBe(200);
  });

  it('SERVICE_UNAVAILABLE: an unhealthy chain on either side, or no fee sample yet', async () => {
    for (const { state } of [api.a, api.b]) {
      state.healthy = false;
      expect(await refusal({})).toMatchObject({ status: 503, code: 'SERVICE_UNAVAILABLE', retriable: true });
      state.healthy = true;
    }
    api.b.state.fill = undefined;
    expect(await refusal({})).toMatchObject({ status: 503, code: 'SERVICE_UNAVAILABLE' });
    api.b.state.fill = { native: 1n, at: 0 };
    api.a.state.deposit = undefined;
    expect(await refusal({})).toMatchObject({ status: 503, code: 'SERVICE_UNAVAILABLE' });
  });

  it('PRICE_FETCH_FAILED: a stale price, before an unknown one', async () => {
    api.prices['usd-coin'] = 'stale';
    expect(await refusal({})).toMatchObject({ status: 503, code: 'PRICE_FETCH_FAILED', retriable: true });
    delete api.prices['ether'];
    expect((await refusal({})).code).toBe('PRICE_FETCH_FAILED');
  });

  it('UNSUPPORTED_CURRENCY: no price, or not served on the chain', async () => {
    delete api.prices['dai'];
    expect(await refusal({ destinationCurrency: OTHER_TOKEN })).toMatchObject({
      status: 400,
      code: 'UNSUPPORTED_CURRENCY',
    });
    expect(await refusal({ originCurrency: address('9') })).toMatchObject({
      status: 400,
      code: 'UNSUPPORTED_CURRENCY',
      field: 'originCurrency',
    });
  });

  it("DESTINATION_TX_FAILED: a flagged token refuses the recipient; other refusals are the fill's business", async () => {
    const change = { destinationCurrency: CHECKED_TOKEN };
    const refuse = (reason: 'DESTINATION_TOKEN_TRANSFER_REJECTED' | 'SOLVER_BALANCE_TOO_LOW') => async () =>
      ({ ok: false, kind: 'refused', reason, message: 'blocked' }) as const;
    api.b.state.check = refuse('DESTINATION_TOKEN_TRANSFER_REJECTED');
    const refused = await refusal(change);
    expect(refused).toMatchObject({ status: 400, code: 'DESTINATION_TX_FAILED' });
    expect(refused.message).toContain('cannot receive this token');
    api.b.state.check = refuse('SOLVER_BALANCE_TOO_LOW');
    expect((await api.call('POST', '/quote/v2', { body: ask(change) })).status).toBe(200);
  });

  it('DESTINATION_TX_FAILED shows the call that was refused, where the chain reports it', async () => {
    const failedCallData = { from: USER, to: CHECKED_TOKEN, data: '0x12', value: '0' };
    const refused = { ok: false, kind: 'refused', reason: 'TRANSFER_FAILED', message: 'no' } as const;
    const body = ask({ destinationCurrency: CHECKED_TOKEN });
    api.b.state.check = async () => ({ ...refused, failedCallData });
    expect((await api.call('POST', '/quote/v2', { body })).body.failedCallData).toEqual(failedCallData);
    api.b.state.check = async () => refused;
    expect((await api.call('POST', '/quote/v2', { body })).body).not.toHaveProperty('failedCallData');
  });

  it('RPC_HTTP_ERROR and REQUEST_TIMED_OUT: the check of a flagged token learns nothing', async () => {
    api.b.state.check = async () => ({ ok: false, kind: 'unavailable', reason: 'UNKNOWN', message: 'no answer' });
    const change = { destinationCurrency: CHECKED_TOKEN };
    expect(await refusal(change)).toMatchObject({ status: 503, code: 'RPC_HTTP_ERROR', retriable: true });
    api.b.state.check = () => new Promise(() => undefined);
    expect(await refusal(change)).toMatchObject({ status: 503, code: 'REQUEST_TIMED_OUT', retriable: true });
  });

  it('UNKNOWN_ERROR: only what no one classified, and it reports nothing of the inside', async () => {
    api.a.state.check = () => Promise.reject(new Error('secret detail'));
    api.b.state.check = api.a.state.check;
    const refused = await refusal({ destinationCurrency: CHECKED_TOKEN });
    expect(refused).toMatchObject({ status: 500, code: 'UNKNOWN_ERROR' });
    expect(JSON.stringify(refused)).not.toContain('secret detail');
    expect(
      api.logs.some((line) => line.level === 'error' && String(line.fields['err']).includes('secret detail')),
    ).toBe(true);
  });
});

describe('errors beyond the table', () => {
  it('UNSUPPORTED_CHAIN, before anything that needs the chain', async () => {
    expect(await refusal({ originChainId: 9, user: 'me' })).toMatchObject({
      code: 'UNSUPPORTED_CHAIN',
      field: 'originChainId',
    });
    expect(await refusal({ destinationChainId: 9 })).toMatchObject({
      code: 'UNSUPPORTED_CHAIN',
      field: 'destinationChainId',
    });
  });

  it('INVALID_INPUT_CURRENCY and INVALID_OUTPUT_CURRENCY: not an address', async () => {
    expect(await refusal({ originCurrency: 'usdc' })).toMatchObject({
      code: 'INVALID_INPUT_CURRENCY',
      field: 'originCurrency',
    });
    expect(await refusal({ destinationCurrency: 'usdc' })).toMatchObject({
      code: 'INVALID_OUTPUT_CURRENCY',
      field: 'destinationCurrency',
    });
  });

  it('AMOUNT_TOO_LOW: fees leave nothing', async () => {
    expect(await refusal({ amount: '300000' })).toMatchObject({ status: 400, code: 'AMOUNT_TOO_LOW' });
    expect(await refusal({ amount: '0' })).toMatchObject({ code: 'AMOUNT_TOO_LOW' });
    expect(await refusal({ amount: '0', tradeType: 'EXACT_OUTPUT' })).toMatchObject({ code: 'AMOUNT_TOO_LOW' });
  });

  it('INSUFFICIENT_LIQUIDITY: no inventory, or above the largest request', async () => {
    api.engine.available = 99_649_999n;
    expect(await refusal({})).toMatchObject({ status: 400, code: 'INSUFFICIENT_LIQUIDITY', retriable: true });
    api.engine.available = 99_650_000n;
    expect((await api.call('POST', '/quote/v2', { body: ask() })).status).toBe(200);
    api.engine.available = 10n ** 40n;
    expect(await refusal({ amount: '1000000000001' })).toMatchObject({
      code: 'INSUFFICIENT_LIQUIDITY',
      field: 'amount',
    });
  });

  it('CHAIN_DISABLED and ROUTE_TEMPORARILY_RESTRICTED: paused', async () => {
    api.engine.paused = 'all';
    expect(await refusal({})).toMatchObject({ status: 400, code: 'CHAIN_DISABLED', retriable: true });
    api.engine.paused = 'chain';
    expect((await refusal({})).code).toBe('CHAIN_DISABLED');
    api.engine.paused = 'route';
    expect(await refusal({})).toMatchObject({ code: 'ROUTE_TEMPORARILY_RESTRICTED', retriable: true });
  });

  it.each([
    ['useDepositAddress', true, 'UNSUPPORTED_EXECUTION_TYPE'],
    ['strict', true, 'UNSUPPORTED_EXECUTION_TYPE'],
    ['recoveryAddress', USER, 'UNSUPPORTED_EXECUTION_TYPE'],
    ['usePermit', true, 'UNSUPPORTED_EXECUTION_TYPE'],
    ['useNonceMapping', true, 'UNSUPPORTED_EXECUTION_TYPE'],
    ['explicitDeposit', false, 'UNSUPPORTED_EXECUTION_TYPE'],
    ['depositFeePayer', USER, 'UNSUPPORTED_EXECUTION_TYPE'],
  ])('%s is refused by name, never ignored', async (field, value, code) => {
    expect(await refusal({ [field]: value })).toMatchObject({ status: 400, code, field });
  });

  it('NO_SWAP_ROUTES_FOUND: a swap is asked for where no source serves any', async () => {
    expect(await refusal({ useExternalLiquidity: true })).toMatchObject({
      status: 400,
      code: 'NO_SWAP_ROUTES_FOUND',
      field: 'useExternalLiquidity',
    });
  });

  it('EXTRA_TXS_NOT_SUPPORTED: calls on a chain that makes none', async () => {
    api.b.state.calls = undefined;
    const txs = [{ to: USER, value: '0', data: '0x' }];
    expect(await refusal({ txs })).toMatchObject({ status: 400, code: 'EXTRA_TXS_NOT_SUPPORTED', field: 'txs' });
  });

  it('UNSUPPORTED_EXECUTION_TYPE: authorizations on a chain whose fills carry none', async () => {
    api.b.state.authorizations = undefined;
    const authorizationList = [{ chainId: 2, address: USER, nonce: 0, yParity: 0, r: '0x1', s: '0x1' }];
    const refused = { status: 400, code: 'UNSUPPORTED_EXECUTION_TYPE', field: 'authorizationList' };
    expect(await refusal({ authorizationList })).toMatchObject(refused);
    const txs = [{ to: USER, value: '0', data: '0x' }];
    expect(await refusal({ authorizationList, txs })).toMatchObject(refused);
  });

  it('another fee payer of the deposit, where the origin takes one, is an address and not the user', async () => {
    api.a.state.feePayers = true;
    const other = address('7');
    const { status, body } = await api.call('POST', '/quote/v2', {
      body: ask({ depositFeePayer: other.toUpperCase().replace('0X', '0x') }),
    });
    expect(status).toBe(200);
    expect(body.steps.at(-1).items[0].data).toMatchObject({ feePayer: other });
    const field = 'depositFeePayer';
    expect(await refusal({ [field]: 'nobody' })).toMatchObject({ status: 400, code: 'INVALID_ADDRESS', field });
    expect(await refusal({ [field]: USER })).toMatchObject({ status: 400, code: 'INVALID_REQUEST', field });
  });

  it('a transfer of the token instead of a deposit, where the origin can carry it in that currency', async () => {
    api.a.state.transferDeposits = (currency) => currency !== NATIVE;
    const { status, body } = await api.call('POST', '/quote/v2', { body: ask({ explicitDeposit: false }) });
    expect(status).toBe(200);
    expect(body.steps.at(-1)).toMatchObject({ id: 'deposit', items: [{ data: { byTransfer: true } }] });
    const native = { explicitDeposit: false, originCurrency: NATIVE, amount: '1000000000000000000' };
    const refused = { status: 400, code: 'UNSUPPORTED_EXECUTION_TYPE', field: 'explicitDeposit' };
    expect(await refusal(native)).toMatchObject(refused);
    expect((await api.call('POST', '/quote/v2', { body: ask({ ...native, explicitDeposit: true }) })).status).toBe(200);
  });

  it('the harmless spelling of the same fields passes', async () => {
    const harmless = {
      txs: [],
      authorizationList: [],
      useDepositAddress: false,
      strict: false,
      usePermit: false,
      useNonceMapping: false,
      explicitDeposit: true,
      topupGas: false,
      subsidizeFees: false,
      sponsoredFeeComponents: [],
      useFallbacks: true,
      originGasOverhead: '21000',
      protocolVersion: 'v2',
    };
    expect((await api.call('POST', '/quote/v2', { body: ask(harmless) })).status).toBe(200);
    expect((await api.call('POST', '/quote/v2', { body: ask({ originGasOverhead: 21000 }) })).status).toBe(200);
  });

  it('app fees that take everything, or are no basis points', async () => {
    const fees = (...values: unknown[]) => ({ appFees: values.map((fee) => ({ recipient: USER, fee })) });
    expect(await refusal(fees('9995'))).toMatchObject({ code: 'INVALID_REQUEST', field: 'appFees' });
    expect(await refusal(fees('6000', '4000'))).toMatchObject({ code: 'INVALID_REQUEST', field: 'appFees' });
    expect(await refusal(fees('1.5'))).toMatchObject({ code: 'INVALID_REQUEST', field: 'appFees[0].fee' });
    expect(await refusal({ appFees: [{ recipient: 'me', fee: '1' }] })).toMatchObject({
      code: 'INVALID_ADDRESS',
      field: 'appFees[0].recipient',
    });
  });

  it('nothing is stored for what was refused', async () => {
    const applied: string[] = [];
    const { apply } = api.store;
    api.store.apply = (set) => {
      applied.push(set.name);
      return apply.call(api.store, set);
    };
    onTestFinished(() => {
      api.store.apply = apply;
    });
    await refusal({ amount: '1' });
    expect(applied).toEqual([]);
    await api.call('POST', '/quote/v2', { body: ask() });
    expect(applied).toEqual(['quoting.persist']);
  });

  it.each([
    ['an unknown commit', new CommitUnknownError('cut')],
    ['a database that went back', new DatabaseWentBackError('promoted')],
  ])('%s is 503: the quote may not be promised', async (_, error) => {
    const { apply } = api.store;
    onTestFinished(() => {
      api.store.apply = apply;
    });
    api.store.apply = () => Promise.reject(error);
    expect(await refusal({})).toMatchObject({ status: 503, code: 'SERVICE_UNAVAILABLE', retriable: true });
  });
});

describe('networks', () => {
  it('debug-force-refund means nothing on mainnet', async () => {
    const mainnet = await runningApi({ policy: { ...POLICY, network: 'mainnet' } });
    onTestFinished(() => mainnet.close());
    const { body } = await mainnet.call('POST', '/quote/v2', { body: ask({ referrer: 'debug-force-refund' }) });
    const row = await mainnet.store.quote(body.steps[0].requestId);
    expect(JSON.parse(row?.body ?? '{}')).toMatchObject({ forceRefund: false, referrer: 'debug-force-refund' });
  });

  it('previews for burn payers succeed and check no transfer', async () => {
    const body = ask({
      user: BURN,
      recipient: BURN,
      originCurrency: NATIVE,
      destinationCurrency: CHECKED_TOKEN,
      amount: '10000000000000000',
    });
    expect((await api.call('POST', '/quote/v2', { body })).status).toBe(200);
  });
});
