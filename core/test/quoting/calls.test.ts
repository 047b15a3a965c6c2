import { afterEach, describe, expect, it } from 'vitest';
import type { FillWish } from '../../src/contract/chain-adapter.js';
import type { QuoteBody } from '../../src/domain/quote.js';
import { ApiError } from '../../src/errors/api-error.js';
import { BURN, NATIVE } from '../api/support/chain-double.js';
import { USER } from '../api/support/running-api.js';
import { alpha, beta, quoted, quoterWith } from './support/quoter-with.js';

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

const ETHER = 10n ** 18n;
const EMPTY_CALL = { to: USER, value: '0', data: '0x' };
const spends = (value: bigint) => ({ ...EMPTY_CALL, value: value.toString() });
const inCoin = { originCurrency: NATIVE, destinationCurrency: NATIVE, amount: ETHER.toString() };

/** Records the chain's questions; the fill takes `native`. */
function takes(native: bigint) {
  beta.state.calls = async (wish) => {
    wishes.push(wish);
    return { native, work: 300_000n, at: 0 };
  };
}

const codeOf = async (change: Readonly<Record<string, unknown>>): Promise<string> => {
  const answer = await quoted(quoter, change);
  return answer instanceof ApiError ? answer.code : 'OK';
};

describe('a quote whose fill makes calls', () => {
  it('names them in its order, bounds the gas of the fill, and is reported as a call', async () => {
    const answer = await quoted(quoter, { txs: [EMPTY_CALL, EMPTY_CALL] });
    if (answer instanceof Error) throw answer;
    expect(answer.protocol.v2.orderData.output.calls).toHaveLength(2);
    expect(bodies[0]).toMatchObject({ requestType: 'Call', fillWork: '300000' });
    await quoted(quoter, {});
    expect(bodies[1]).toMatchObject({ requestType: 'Bridge' });
    expect(bodies[1]?.order.output.calls).toEqual([]);
  });

  it('is tried with the least that may be delivered, again where their cost makes that less', async () => {
    takes(beta.state.fill?.native ?? 0n);
    await quoted(quoter, { ...inCoin, slippageTolerance: '100', txs: [EMPTY_CALL] });
    expect(wishes.map(({ amount }) => amount)).toEqual([BigInt(bodies[0]?.minimumAmount ?? 0)]);

    wishes.length = 0;
    takes((beta.state.fill?.native ?? 0n) * 3n);
    await quoted(quoter, {
      ...inCoin,
      latePaymentSlippageTolerance: '500',
      slippageTolerance: '100',
      txs: [EMPTY_CALL],
    });
    const last = BigInt(bodies[1]?.lateMinimumAmount ?? 0);
    expect(wishes).toHaveLength(2);
    expect(wishes[0]?.amount).toBeGreaterThan(last);
    expect(wishes[1]?.amount).toBe(last);
  });

  it('never promises less than they spend', async () => {
    const most = ETHER / 2n;
    const expected = { ...inCoin, tradeType: 'EXPECTED_OUTPUT', slippageTolerance: '1000', amount: most.toString() };
    expect(await codeOf({ ...expected, txs: [spends(most)] })).toBe('OK');
    expect(bodies[0]).toMatchObject({ amountOut: most.toString(), minimumAmount: most.toString() });

    const late = { ...inCoin, slippageTolerance: '100', latePaymentSlippageTolerance: '6000' };
    expect(await codeOf({ ...late, txs: [spends(most)] })).toBe('OK');
    expect(bodies[1]).toMatchObject({ lateMinimumAmount: most.toString() });

    expect(await codeOf({ ...inCoin, slippageTolerance: '100', txs: [spends((ETHER * 99n) / 100n)] })).toBe(
      'INVALID_EXTRA_TXS',
    );
  });

  it('has coin for them in addition to a token, of a top-up that covers what they spend', async () => {
    takes(beta.state.fill?.native ?? 0n);
    const topped = { topupGas: true, topupGasAmount: '2000000' };
    await quoted(quoter, { ...topped });
    const plain = bodies[0];
    const amount = BigInt(plain?.topUp?.amount ?? 0);
    expect(plain?.topUp?.inFill).toBeUndefined();
    await quoted(quoter, { ...topped, slippageTolerance: '1000', txs: [spends(amount - 5n), spends(2n)] });
    // The fill pays its gas; the calls keep their full coin.
    expect(bodies[1]).toMatchObject({
      topUp: { inFill: true, amount: amount.toString(), minimumAmount: (amount - 3n).toString() },
      terms: { topUp: { value: plain?.terms.topUp?.value, gas: '0' } },
      features: ['gas_top_up'],
    });
    // Includes unspent coin, which is paid out as well.
    expect(wishes.at(-1)?.topUp).toEqual({ amount });
    const little = await quoted(quoter, { ...topped, slippageTolerance: '1000', txs: [spends(1n)] });
    expect(little).not.toBeInstanceOf(Error);
    expect(BigInt(bodies[2]?.topUp?.minimumAmount ?? 0)).toBe((amount * 9n) / 10n);
    // Calls that spend no coin leave a separate payment.
    await quoted(quoter, { ...topped, txs: [EMPTY_CALL] });
    expect(bodies[3]?.topUp?.inFill).toBeUndefined();
    expect(wishes.at(-1)?.topUp).toBeUndefined();
  });

  it('is refused where nothing covers what they spend in addition to a token', async () => {
    takes(beta.state.fill?.native ?? 0n);
    const reported = async (change: Readonly<Record<string, unknown>>) => {
      const answer = await quoted(quoter, change);
      if (!(answer instanceof ApiError)) return expect.fail('it was quoted');
      expect(answer).toMatchObject({ code: 'INVALID_EXTRA_TXS', errorData: { field: 'txs' } });
      return answer.message;
    };
    expect(await reported({ txs: [spends(1n)] })).toContain('topupGas');
    const topped = { topupGas: true, topupGasAmount: '1000000' };
    const missing = await reported({ ...topped, txs: [spends(ETHER)] });
    const asked = /at least (\d+) now/.exec(missing)?.[1];
    expect(missing).toContain(`spend ${ETHER} `);
    expect(BigInt(asked ?? 0)).toBeGreaterThan(1_000_000n);
    expect(await reported({ ...topped, useExternalLiquidity: true, txs: [spends(1n)] })).toContain(
      'useExternalLiquidity',
    );
    expect(bodies).toEqual([]);
  });

  it('is tried for previews, too, and under the limit that the client sets', async () => {
    takes(beta.state.fill?.native ?? 0n);
    expect(await codeOf({ user: BURN, recipient: BURN, txs: [EMPTY_CALL], txsGasLimit: 250_000 })).toBe('OK');
    expect(wishes).toMatchObject([{ recipient: BURN, callsWork: 250_000n, calls: [expect.stringMatching(/^0x/)] }]);
  });

  it('is refused where they would fail, and where no one can know', async () => {
    const call = { to: USER, data: '0x', value: '0', from: USER };
    const message = 'call 1 reverted with "paused"';
    const refused = {
      ok: false,
      kind: 'refused',
      reason: 'CONTRACT_PAUSED',
      message,
      failedCallData: call,
    } as const;
    beta.state.calls = async () => refused;
    const answer = await quoted(quoter, { txs: [EMPTY_CALL] });
    expect(answer).toMatchObject({
      code: 'DESTINATION_TX_FAILED',
      message: `The calls cannot be made: ${message}`,
      refused: { failedCallData: call },
    });
    for (const reason of ['DESTINATION_TOKEN_TRANSFER_REJECTED', 'BLOCKED_WALLET'] as const) {
      beta.state.calls = async () => ({ ...refused, reason, height: 77 });
      const received = await quoted(quoter, { txs: [EMPTY_CALL] });
      if (!(received instanceof ApiError)) return expect.fail('it was quoted');
      expect(received.toBody()).toMatchObject({
        errorCode: 'DESTINATION_TX_FAILED',
        message: `The recipient cannot receive this token: ${message}`,
        failedCallData: call,
        approxSimulatedBlock: 77,
      });
    }
    beta.state.calls = async () => undefined;
    expect(await codeOf({ txs: [EMPTY_CALL] })).toBe('SERVICE_UNAVAILABLE');
    beta.state.calls = async () => ({ ...refused, kind: 'unavailable' });
    expect(await codeOf({ txs: [EMPTY_CALL] })).toBe('RPC_HTTP_ERROR');
    beta.state.calls = () => Promise.reject(new Error('down'));
    expect(await codeOf({ txs: [EMPTY_CALL] })).toBe('RPC_HTTP_ERROR');
    beta.state.calls = () => new Promise(() => undefined);
    expect(await codeOf({ txs: [EMPTY_CALL] })).toBe('REQUEST_TIMED_OUT');
    expect(bodies).toEqual([]);
  });
});
