import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { FillWish } from '../../src/contract/index.js';
import { address, BURN, INVENTORY, NATIVE, OTHER_TOKEN } from './support/chain-double.js';
import { ask, type RunningApi, runningApi, USER } from './support/running-api.js';

let api: RunningApi;
beforeAll(async () => {
  api = await runningApi();
});
afterEach(() => api.reset());
afterAll(() => api.close());

type Change = Readonly<Record<string, unknown>>;

async function answer(change: Change, path = '/quote/v2') {
  const { status, body } = await api.call('POST', path, { body: ask(change) });
  return { status, body };
}

async function refusal(change: Change) {
  const [quoted, priced] = [await answer(change), await answer(change, '/price')];
  expect(priced.body).toEqual(quoted.body);
  const { errorCode: code, retriable, message, errorData } = quoted.body;
  return { status: quoted.status, code, retriable, message, errorData };
}

describe('a recipient that cannot be paid', () => {
  it.each([
    ['the zero address', NATIVE],
    ['the depository', address('d')],
    ['the router', address('e')],
    ['an inventory', INVENTORY],
  ])('is refused by name: %s', async (_, recipient) => {
    expect(await refusal({ recipient })).toMatchObject({
      ...{ status: 400, code: 'INVALID_RECIPIENT', retriable: false },
      errorData: { field: 'recipient', reason: expect.any(String) },
    });
  });

  it('is the user where no recipient is named, and is reported as the user', async () => {
    for (const user of [INVENTORY, address('d')])
      expect(await refusal({ user, recipient: undefined })).toMatchObject({
        code: 'INVALID_RECIPIENT',
        errorData: { field: 'user' },
      });
    expect(await refusal({ user: 'me', recipient: undefined })).toMatchObject({
      code: 'INVALID_ADDRESS',
      errorData: { field: 'user' },
    });
    // The token-contract check is cached.
    expect((await answer({ user: OTHER_TOKEN, recipient: undefined })).status).toBe(200);
  });

  it('is refused where its chain says so, and reported to no one who previews', async () => {
    const wishes: FillWish[] = [];
    api.b.state.refuseFill = (wish) => {
      wishes.push(wish);
      return { why: 'recipient', message: 'it is a program' };
    };
    const refused = await refusal({ recipient: address('9') });
    expect(refused).toMatchObject({ status: 400, code: 'INVALID_RECIPIENT', errorData: { field: 'recipient' } });
    expect(refused.message).toContain('it is a program');
    expect(wishes[0]).toMatchObject({ recipient: address('9'), currency: expect.any(String) });
    expect((await answer({ user: BURN, recipient: BURN })).status).toBe(200);
  });

  it('is informed of a currency that no one can be paid in, previews too', async () => {
    api.b.state.refuseFill = () => ({ why: 'currency', message: 'it never delivers the whole' });
    for (const user of [USER, BURN]) {
      const refused = await refusal({ user, recipient: undefined });
      const errorData = { field: 'destinationCurrency', reason: 'it never delivers the whole' };
      expect(refused).toMatchObject({ status: 400, code: 'UNSUPPORTED_CURRENCY', retriable: false, errorData });
    }
  });

  it('previews no one to no one, and to no account of the service', async () => {
    expect((await answer({ user: BURN, recipient: undefined })).status).toBe(200);
    expect(await refusal({ user: BURN, recipient: INVENTORY })).toMatchObject({ code: 'INVALID_RECIPIENT' });
  });
});

describe('who would be refunded', () => {
  it('is no one of this service, and is named by the field that it came from', async () => {
    for (const refundTo of [address('d'), address('e'), INVENTORY])
      expect(await refusal({ refundTo })).toMatchObject({
        code: 'INVALID_ADDRESS',
        errorData: { field: 'refundTo' },
      });
    expect(await refusal({ user: INVENTORY, recipient: USER })).toMatchObject({
      code: 'INVALID_ADDRESS',
      errorData: { field: 'user' },
    });
  });
});

describe('an amount that is too low', () => {
  it('is reported with the least that is not: it is quoted, and one unit less is refused', async () => {
    for (const tradeType of ['EXACT_INPUT', 'EXACT_OUTPUT', 'EXPECTED_OUTPUT']) {
      const refused = await refusal({ amount: '0', tradeType });
      expect(refused).toMatchObject({ code: 'AMOUNT_TOO_LOW', retriable: false, errorData: { field: 'amount' } });
      const { minimum } = refused.errorData;
      expect(refused.message).toContain(minimum);
      expect((await answer({ amount: minimum, tradeType })).status).toBe(200);
      const less = (BigInt(minimum) - 1n).toString();
      expect(await refusal({ amount: less, tradeType })).toMatchObject({ code: 'AMOUNT_TOO_LOW' });
    }
  });

  it('is given the same way where the destination pays out no less', async () => {
    const least = 7_000_000n;
    api.b.state.refuseFill = ({ amount }) =>
      amount < least ? { why: 'amount', least, message: 'nodes relay no less' } : undefined;
    for (const tradeType of ['EXACT_INPUT', 'EXACT_OUTPUT', 'EXPECTED_OUTPUT']) {
      const refused = await refusal({ amount: '5000000', tradeType });
      expect(refused).toMatchObject({ status: 400, code: 'AMOUNT_TOO_LOW', retriable: false });
      expect(refused.message).toMatch(/at least \d+ \(.* USDC\): nodes relay no less/);
      const { minimum } = refused.errorData;
      if (tradeType === 'EXACT_INPUT') expect(BigInt(minimum)).toBeGreaterThan(least);
      else expect(minimum).toBe(least.toString());
      expect((await answer({ amount: minimum, tradeType })).status).toBe(200);
      const less = (BigInt(minimum) - 1n).toString();
      expect(await refusal({ amount: less, tradeType })).toMatchObject({ code: 'AMOUNT_TOO_LOW' });
    }
  });
});

describe('an amount that is too large', () => {
  it('names the cap of one request, which no later try passes', async () => {
    const refused = await refusal({ amount: '1000000000001' });
    expect(refused).toMatchObject({ status: 400, code: 'INSUFFICIENT_LIQUIDITY', retriable: false });
    expect(refused.message).toContain('at most 1000000.000000 USD');
    expect(refused.errorData.field).toBe('amount');
  });

  it('names what the solver can pay out now, which a later try may pass', async () => {
    api.engine.available = 12_345_678n;
    const refused = await refusal({});
    expect(refused).toMatchObject({ code: 'INSUFFICIENT_LIQUIDITY', retriable: true });
    expect(refused.message).toContain('12.345678 USDC');
    expect(refused.errorData).toMatchObject({ field: 'amount', maximum: '12345678' });
    api.engine.available = -5n;
    expect((await refusal({})).errorData.maximum).toBe('0');
  });
});
