import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { ChangeSet } from '../../src/contract/store.js';
import { ApiError } from '../../src/errors/api-error.js';
import type { QuoteAsk } from '../../src/quoting/ask.js';
import { NATIVE, TOKEN } from '../api/support/chain-double.js';
import { ask as asked, POLICY, USER } from '../api/support/running-api.js';
import { alpha, quoted, quoterWith } from './support/quoter-with.js';

const sets: ChangeSet[] = [];
const store = {
  unpaidQuotes: async () => 0,
  ordersByPrefix: async () => [],
  requests: async () => [],
  apply: async (set: ChangeSet) => {
    sets.push(set);
    return { ok: true } as const;
  },
};
const addressOf = (salt: string) => `0x${salt.slice(2, 42)}`;

beforeEach(() => {
  alpha.state.depositAddresses = {
    derive: addressOf,
    steps: ({ address, amount, payer }) => [
      {
        id: 'deposit',
        action: 'Confirm',
        description: 'Pay',
        items: [{ data: { from: payer, to: address, data: '0x', value: amount.toString() } }],
      },
    ],
    sweeps: true,
    held: async (addresses) => addresses.map(() => 0n),
  };
});

afterEach(() => {
  sets.length = 0;
  alpha.reset();
});

const quoter = quoterWith({ store });
const ask = (change: object = {}) => quoted(quoter, { useDepositAddress: true, ...change });

async function refusal(change: object) {
  const answer = await ask(change);
  if (!(answer instanceof ApiError)) return expect.fail('it was quoted');
  const { field } = answer.errorData as { readonly field: string };
  return { code: answer.code, field };
}

describe('a quote with a deposit address', () => {
  it('is a plain transfer to an address that is durable with its quote before the answer', async () => {
    const answer = await ask({ strict: true, refundTo: USER });
    if (answer instanceof Error) throw answer;
    const [step] = answer.steps;
    expect(answer.steps).toHaveLength(1);
    expect(step).toMatchObject({
      id: 'deposit',
      depositAddress: addressOf(step?.requestId ?? ''),
      kind: 'transaction',
    });
    expect(step?.items[0]).toMatchObject({ data: { to: step?.depositAddress, data: '0x' }, check: { method: 'GET' } });
    const [set, ...others] = sets;
    expect(others).toEqual([]);
    expect(set?.changes.map((change) => ('table' in change ? change.table : change.op))).toEqual([
      ...['quotes', 'addresses'],
    ]);
    expect(set?.changes).toContainEqual(
      expect.objectContaining({
        table: 'addresses',
        row: expect.objectContaining({ address: step?.depositAddress, salt: step?.requestId, type: 'strict' }),
      }),
    );
  });

  it('charges the sweep', async () => {
    const plain = await quoted(quoter);
    const sweeping = await ask();
    if (plain instanceof Error || sweeping instanceof Error) return expect.fail('both are quoted');
    const gas = ({ fees }: typeof plain) => BigInt(fees.relayerGas.amount);
    expect(gas(sweeping)).toBeGreaterThan(gas(plain));
  });

  it('refuses a strict address without a refund address, and what an open one cannot promise', async () => {
    expect(await refusal({ strict: true })).toEqual({ code: 'INVALID_REQUEST', field: 'refundTo' });
    expect(await refusal({ tradeType: 'EXACT_OUTPUT' })).toEqual({ code: 'INVALID_REQUEST', field: 'tradeType' });
    const calls = { txs: [{ to: USER, value: '0', data: '0x' }] };
    expect((await refusal(calls)).code).toBe('INVALID_REQUEST');
    expect((await ask({ strict: true, refundTo: USER, tradeType: 'EXACT_OUTPUT' })) instanceof Error).toBe(false);
  });

  it('says that the native sentinel names no account for refunds', async () => {
    const answer = await ask({ strict: true, refundTo: NATIVE });
    expect(answer).toMatchObject({ code: 'INVALID_REQUEST', errorData: { field: 'refundTo' } });
    expect(answer).toHaveProperty('message', expect.stringContaining('the native sentinel names none'));
  });

  it.each([
    ['strict', 'EXACT_INPUT'],
    ['strict', 'EXACT_OUTPUT'],
    ['open', 'EXACT_INPUT'],
  ] as const)('of type %s and %s is refused for less than a new account can take', async (type, tradeType) => {
    const least = 10n ** 17n;
    alpha.adapter.leastLeft = (currency) => (currency === NATIVE ? least : undefined);
    try {
      const native = { tradeType, originCurrency: NATIVE, destinationCurrency: NATIVE };
      const change = type === 'strict' ? { ...native, strict: true, refundTo: USER } : native;
      const refused = await ask({ ...change, amount: (least / 2n).toString() });
      expect(refused).toMatchObject({ code: 'AMOUNT_TOO_LOW', errorData: { field: 'amount' } });
      const { minimum } = (refused as ApiError).errorData as { readonly minimum: string };
      expect(await ask({ ...change, amount: (BigInt(minimum) - 1n).toString() })).toBeInstanceOf(ApiError);
      const answer = await ask({ ...change, amount: minimum });
      if (answer instanceof Error) throw answer;
      expect(BigInt(answer.details.currencyIn.amount)).toBeGreaterThanOrEqual(least);
      // Of a transfer that arrived, at an address that held coins before.
      const caller = { keyId: null, party: 'anybody', granted: [] };
      const arrived = { ...change, useDepositAddress: true, amount: (least / 2n).toString() };
      if (type === 'open')
        expect(await quoter.body(asked(arrived) as unknown as QuoteAsk, caller)).toMatchObject({
          origin: { currency: NATIVE },
        });
      expect(await quoter.price(asked(arrived) as unknown as QuoteAsk, caller)).toMatchObject({
        code: 'AMOUNT_TOO_LOW',
      });
      const tokens = tradeType === 'EXACT_INPUT' ? '100000000' : (least / 2n).toString();
      expect(await ask({ ...change, originCurrency: TOKEN, amount: tokens })).not.toBeInstanceOf(Error);
    } finally {
      delete alpha.adapter.leastLeft;
    }
  });

  it('is refused where the chain has none', async () => {
    alpha.reset();
    expect(await refusal({})).toEqual({ code: 'UNSUPPORTED_EXECUTION_TYPE', field: 'useDepositAddress' });
  });

  it('is given to each caller so many times a day', async () => {
    const few = quoterWith({ store, policy: { ...POLICY, mostAddressesPerDay: 2 } });
    const of = (party: string) => quoted(few, { useDepositAddress: true }, party);
    for (let n = 0; n < 2; n += 1) expect((await of('one')) instanceof Error).toBe(false);
    expect(await of('one')).toMatchObject({ code: 'RATE_LIMITED' });
    expect((await of('another')) instanceof Error).toBe(false);
    expect((await quoted(few, {}, 'one')) instanceof Error).toBe(false);
  });
});
