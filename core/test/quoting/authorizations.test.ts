import { afterEach, describe, expect, it } from 'vitest';
import type { FillWish } from '../../src/contract/chain-adapter.js';
import type { QuoteBody } from '../../src/domain/quote.js';
import { ApiError } from '../../src/errors/api-error.js';
import { address, BURN, INVENTORY } from '../api/support/chain-double.js';
import { USER } from '../api/support/running-api.js';
import { alpha, beta, quoted, quoterWith } from './support/quoter-with.js';

/** Fills with authorizations for their calls. */
const bodies: QuoteBody[] = [];
const wishes: FillWish[] = [];

const quoter = quoterWith({
  store: {
    unpaidQuotes: async () => 0,
    ordersByPrefix: async () => [],
    requests: async () => [],
    apply: async ({ changes }) => {
      for (const change of changes)
        if (change.op === 'insert') bodies.push(JSON.parse((change.row as { body: string }).body) as QuoteBody);
      return { ok: true };
    },
  },
});

afterEach(() => {
  bodies.length = 0;
  wishes.length = 0;
  alpha.reset();
  beta.reset();
});

const CALL = { to: USER, value: '0', data: '0x' };
const by = (account: string, change = {}) => ({
  ...{ chainId: 2, address: address('1'), nonce: 0, yParity: 0, s: '0x1' },
  ...{ r: `0x${account.slice(2).padStart(64, '0')}` },
  ...change,
});

async function refusal(authorizationList: readonly object[], change: object = { txs: [CALL] }) {
  const answer = await quoted(quoter, { ...change, authorizationList });
  if (!(answer instanceof ApiError)) return expect.fail('it was quoted');
  return { code: answer.code, ...(answer.errorData as { readonly field: string; readonly reason: string }) };
}

describe('a quote whose fill carries authorizations', () => {
  it('keeps them in addition to its order, and has the calls tried with them', async () => {
    beta.state.calls = async (wish) => {
      wishes.push(wish);
      return { native: 1n, work: 300_000n, at: 0 };
    };
    const list = [by(address('2')), by(address('3'), { chainId: 0 })];
    const answer = await quoted(quoter, { txs: [CALL], authorizationList: list });
    if (answer instanceof Error) throw answer;
    const encoded = list.map(({ r }) => r);
    expect(wishes[0]).toMatchObject({ authorizations: encoded });
    expect(bodies[0]).toMatchObject({ authorizations: encoded, requestType: 'Call' });
    expect(JSON.stringify(answer.protocol.v2.orderData)).not.toContain(encoded[0]?.slice(2));
  });

  it('has their calls tried with them and with the coin that they spend in addition to a token', async () => {
    beta.state.calls = async (wish) => {
      wishes.push(wish);
      return { native: 1n, work: 300_000n, at: 0 };
    };
    const one = by(address('2'));
    const topped = { topupGas: true, topupGasAmount: '2000000', authorizationList: [one] };
    expect(await quoted(quoter, { ...topped, txs: [{ ...CALL, value: '5' }] })).not.toBeInstanceOf(Error);
    expect(bodies[0]).toMatchObject({ authorizations: [one.r], topUp: { inFill: true }, requestType: 'Call' });
    expect(wishes.at(-1)).toMatchObject({
      authorizations: [one.r],
      topUp: { amount: BigInt(bodies[0]?.topUp?.amount ?? 0) },
    });
  });

  it('is reported without a word of them where there are none', async () => {
    await quoted(quoter, { txs: [CALL], authorizationList: [] });
    expect(bodies[0]).not.toHaveProperty('authorizations');
  });

  it('is refused with what is wrong with which of them', async () => {
    const [two, three] = [by(address('2')), by(address('3'))];
    const rows: readonly (readonly [readonly object[], string])[] = [
      [[two, by(address('3'), { chainId: 1 })], 'authorizationList[1].chainId'],
      [[by(address('2'), { r: '0x' })], 'authorizationList[0].r'],
      [[two, three, two], 'authorizationList[2]'],
      [[two, by(INVENTORY)], 'authorizationList[1]'],
      [[by(address('2'), { address: address('d') })], 'authorizationList[0].address'],
      [Array.from({ length: 9 }, (_, n) => by(address(String(n)))), 'authorizationList'],
    ];
    for (const [list, field] of rows) expect(await refusal(list)).toMatchObject({ code: 'INVALID_REQUEST', field });
    expect(await refusal([two], {})).toMatchObject({ code: 'INVALID_REQUEST', field: 'authorizationList' });
    expect(await refusal([two], { user: BURN, recipient: BURN })).toMatchObject({ code: 'INVALID_REQUEST' });
    expect(bodies).toEqual([]);
  });

  it('is refused where one would be passed over', async () => {
    const message = 'authorization 1 is for nonce 3 of somebody, who stands at 4';
    beta.state.calls = async () => ({ ok: false, kind: 'refused', reason: 'INVALID_NONCE', message });
    expect(await refusal([by(address('2'))])).toEqual({
      code: 'INVALID_REQUEST',
      field: 'authorizationList',
      reason: message,
    });
  });
});
