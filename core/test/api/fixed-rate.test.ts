import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { counter } from '../../src/domain/accounts.js';
import { INVENTORY, NATIVE, OTHER_TOKEN, TOKEN } from './support/chain-double.js';
import { ask, POLICY, type RunningApi, runningApi, USER, withKey } from './support/running-api.js';

type Change = Readonly<Record<string, unknown>>;

let api: RunningApi;
beforeAll(async () => {
  api = await runningApi();
});
afterAll(() => api.close());

const post = (change: Change, of = api, options: object = withKey, path = '/quote/v2') =>
  of.call('POST', path, { body: ask(change), ...options });
const reserved = (currency: string, of = api) => of.store.pot(counter.reserved(2, INVENTORY, currency));

describe('a fixed rate', () => {
  it('is promised with what is reserved for it, for a fee and for less time', async () => {
    const before = await reserved(TOKEN);
    const { status, body } = await post({ fixedRate: '0.99' });
    expect(status).toBe(200);
    // 2 bps of 100 within one asset group, plus the 5 of every quote.
    expect(body.details).toMatchObject({ isFixedRate: true, fixedRateFee: { usd: '0.020000' }, rate: '0.9963' });
    expect(body.fees.relayerService.amount).toBe('70000');
    const id = body.steps[0].requestId;
    const [row, quote] = [(await api.store.earmarks([id]))[0], await api.store.quote(id)];
    expect(row).toMatchObject({ state: 'kept', keyId: 'key-1', chainId: 2, currency: TOKEN, amount: 99_630_000n });
    expect(row).toMatchObject({ value: 100_000_000n, expiresAt: quote?.expiresAt, deadlineAt: quote?.deadlineAt });
    expect((quote?.expiresAt ?? 0) - (quote?.createdAt ?? 0)).toBe(20_000);
    expect(JSON.parse(quote?.body ?? '{}')).toMatchObject({ features: ['fixed_rate'], terms: { serviceBps: 7 } });
    expect(await reserved(TOKEN)).toBe(before + 99_630_000n);
    expect(body.details.expiresAt).toBe(quote?.expiresAt);
  });

  it('in addition to coin for the calls of its order is that of the output, which alone is kept', async () => {
    const coined = { topupGas: true, txs: [{ to: USER, value: '5', data: '0x' }] };
    const before = await reserved(NATIVE);
    const { status, body } = await post({ ...coined, fixedRate: '0' });
    expect(status).toBe(200);
    const id = body.steps[0].requestId;
    const quote = JSON.parse((await api.store.quote(id))?.body ?? '{}');
    expect(quote).toMatchObject({ features: ['gas_top_up', 'fixed_rate'], topUp: { inFill: true } });
    const amount = BigInt(body.details.currencyOut.amount);
    expect((await api.store.earmarks([id]))[0]).toMatchObject({ state: 'kept', currency: TOKEN, amount });
    expect(await reserved(NATIVE)).toBe(before);
    const over = await post({ ...coined, fixedRate: '0.9963' });
    expect(over.body).toMatchObject({ errorCode: 'NO_QUOTES', errorData: { field: 'fixedRate' } });
  });

  it('of two assets costs what the more volatile one of them does', async () => {
    const pair = { originCurrency: NATIVE, destinationCurrency: OTHER_TOKEN, amount: '1000000000000000000' };
    const { body } = await post({ ...pair, fixedRate: '0' });
    const { body: plain } = await post(pair);
    expect(body.details.fixedRateFee.usd).toBe('1.400000');
    expect(Number(plain.details.rate)).toBeGreaterThan(Number(body.details.rate));
    expect(plain.details.fixedRateFee).toBeUndefined();
  });

  it('is at least what was asked for, as the rate is reported, for either side that the amount fixes', async () => {
    const { body } = await post({ fixedRate: '0' });
    expect((await post({ fixedRate: body.details.rate })).status).toBe(200);
    const over = await post({ fixedRate: '0.996300000000000001' });
    expect(over.status).toBe(400);
    expect(over.body).toMatchObject({ errorCode: 'NO_QUOTES', errorData: { field: 'fixedRate', maximum: '0.9963' } });
    const exact = await post({ fixedRate: '0.99', tradeType: 'EXACT_OUTPUT', amount: '99630000' });
    expect(exact.body.details.currencyIn.amount).toBe('100000000');
  });

  it('is priced without a promise, and nothing is reserved for it', async () => {
    const before = await reserved(TOKEN);
    const { body } = await post({ fixedRate: '0.99' }, api, withKey, '/price');
    expect(body.details).toMatchObject({ isFixedRate: true, rate: '0.9963' });
    expect(await reserved(TOKEN)).toBe(before);
  });

  it.each([
    ['a caller without a key', { fixedRate: '0.99' }, {}, 401, 'UNAUTHORIZED', /output is reserved/],
    ['no number', { fixedRate: 'true' }, withKey, 400, 'INVALID_REQUEST', /details\.rate/],
    ['too many digits', { fixedRate: '0.1234567890123456789' }, withKey, 400, 'INVALID_REQUEST', /18/],
  ])('is refused to %s, and named', async (_, change, options, status, errorCode, message) => {
    const reply = await post(change, api, options);
    expect(reply.status).toBe(status);
    expect(reply.body).toMatchObject({ errorCode, errorData: { field: 'fixedRate' } });
    expect(reply.body.message).toMatch(message);
  });
});

describe('where rates are fixed', () => {
  const serving = async (fixedRate: object, run: (of: RunningApi) => Promise<void>) => {
    const { fixedRate: usual, ...rest } = POLICY;
    const policy = { ...rest, ...(fixedRate === NONE ? {} : { fixedRate: { ...(usual as object), ...fixedRate } }) };
    const other = await runningApi({ policy: policy as typeof POLICY });
    await run(other).finally(() => other.close());
  };
  const NONE = {};

  it('is the operator’s choice', () =>
    serving(NONE, async (of) => {
      const { status, body } = await post({ fixedRate: '0.99' }, of);
      expect(status).toBe(400);
      expect(body).toMatchObject({ errorCode: 'UNSUPPORTED_EXECUTION_TYPE', errorData: { field: 'fixedRate' } });
    }));

  it('no chain is served whose blocks take too long', () =>
    serving({ validityMs: 1 }, async (of) => {
      const { body } = await post({ fixedRate: '0.99' }, of);
      expect(body).toMatchObject({ errorCode: 'UNSUPPORTED_EXECUTION_TYPE', errorData: { field: 'fixedRate' } });
    }));

  it('a key has so much kept and no more, and is informed of it', () =>
    serving({ maxHeldMicroUsdPerKey: 250_000_000n }, async (of) => {
      for (const _ of [1, 2]) expect((await post({ fixedRate: '0.99' }, of)).status).toBe(200);
      const before = await reserved(TOKEN, of);
      const { status, body } = await post({ fixedRate: '0.99' }, of);
      expect(status).toBe(429);
      expect(body).toMatchObject({ errorCode: 'RATE_LIMITED', retriable: true });
      expect(body.message).toContain('250');
      expect(await reserved(TOKEN, of)).toBe(before);
      expect((await post({}, of)).status).toBe(200);
      const large = await post({ fixedRate: '0.9', amount: '250000001' }, of);
      expect(large.body).toMatchObject({ errorCode: 'INSUFFICIENT_LIQUIDITY', retriable: false });
    }));

  it('all keys together have so much', () =>
    serving({ maxHeldMicroUsd: 150_000_000n }, async (of) => {
      expect((await post({ fixedRate: '0.99' }, of)).status).toBe(200);
      const { status, body } = await post({ fixedRate: '0.99' }, of);
      expect(status).toBe(503);
      expect(body).toMatchObject({ errorCode: 'SERVICE_UNAVAILABLE', retriable: true });
    }));

  it('nothing is promised that the books do not hold, whatever was in memory', () =>
    serving({}, async (of) => {
      const most = await of.store.pot(`inventory:2:${INVENTORY}:${TOKEN}`);
      const left = most - (await reserved(TOKEN, of));
      await of.store.apply({
        name: 'test',
        changes: [{ op: 'count', account: counter.reserved(2, INVENTORY, TOKEN), by: left - 1n }],
      });
      const before = await reserved(TOKEN, of);
      const refused = await post({ fixedRate: '0.99' }, of);
      expect(refused.status).toBe(400);
      expect(refused.body).toMatchObject({ errorCode: 'INSUFFICIENT_LIQUIDITY', retriable: true });
      expect(await reserved(TOKEN, of)).toBe(before);
    }));
});
