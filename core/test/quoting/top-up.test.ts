import { afterEach, describe, expect, it } from 'vitest';
import type { QuoteBody } from '../../src/domain/quote.js';
import { ApiError } from '../../src/errors/api-error.js';
import { NATIVE, TOKEN } from '../api/support/chain-double.js';
import { POLICY } from '../api/support/running-api.js';
import { beta, detailsOf, pricesOf, quoted, quoterWith } from './support/quoter-with.js';

const quoter = quoterWith({});
const asks = (change: Readonly<Record<string, unknown>> = {}) => ({ topupGas: true, ...change });

afterEach(() => beta.reset());

async function refusal(change: Readonly<Record<string, unknown>>, with_ = quoter): Promise<ApiError> {
  const answer = await quoted(with_, asks(change));
  if (!(answer instanceof ApiError)) throw new Error('it was quoted');
  return answer;
}

describe('a gas top-up', () => {
  it('is paid for out of the deposit, with its own gas, and counts as received', async () => {
    const [bare, topped] = [await quoted(quoter), await quoted(quoter, asks())];
    if (bare instanceof Error || topped instanceof Error) throw new Error('refused');
    // 2 USD at 2,000 USD.
    expect(topped.details.currencyGasTopup).toMatchObject({
      ...{ amount: '1000000000000000', amountUsd: '2.000000', currency: { address: NATIVE, chainId: 2 } },
      minimumAmount: '995000000000000',
    });
    const taken = BigInt(bare.details.currencyOut.amount) - BigInt(topped.details.currencyOut.amount);
    // A coin fill costs 0.2 USD here.
    expect(taken).toBe(2_200_000n);
    expect(BigInt(topped.fees.relayerGas.amount) - BigInt(bare.fees.relayerGas.amount)).toBe(200_000n);
    expect(topped.fees.relayerService.amount).toBe(bare.fees.relayerService.amount);
    const lost = Number(topped.details.totalImpact.usd) - Number(bare.details.totalImpact.usd);
    expect(lost).toBeCloseTo(-0.2, 5);
  });

  it('of an exact output is paid on top', async () => {
    const exact = { tradeType: 'EXACT_OUTPUT', amount: '50000000' };
    const [bare, topped] = [await detailsOf(quoter, exact), await detailsOf(quoter, asks(exact))];
    expect(topped.currencyOut.amount).toBe('50000000');
    expect(BigInt(topped.currencyIn.amount) - BigInt(bare.currencyIn.amount)).toBeGreaterThan(2_200_000n);
  });

  it('of a volatile pair pays for the risk of its price, which shows as what an exchange loses', async () => {
    const policy = { ...POLICY, spread: { classes: [{ bps: 100, perRootMinuteBps: 0 }] } };
    const priced = quoterWith({ policy, prices: pricesOf({ ether: '2000' }) });
    const details = await detailsOf(priced, asks());
    expect(details.swapImpact.usd).toBe('-0.020000');
  });

  it('comes after the output, and takes a block more', async () => {
    const [bare, topped] = [await detailsOf(quoter), await detailsOf(quoter, asks())];
    expect(topped.timeEstimate).toBe(bare.timeEstimate + 1);
  });

  it('is no more than native coin that the output is already', async () => {
    const details = await detailsOf(quoter, asks({ destinationCurrency: NATIVE }));
    expect(details).not.toHaveProperty('currencyGasTopup');
  });

  it('is kept in the promise with all that it is judged by', async () => {
    let kept: QuoteBody | undefined;
    const store = {
      ...{ unpaidQuotes: async () => 0, ordersByPrefix: async () => [], requests: async () => [] },
      apply: async ({ changes }: { readonly changes: readonly { readonly row?: { readonly body: string } }[] }) => {
        kept = JSON.parse(changes[0]?.row?.body ?? 'null');
        return { ok: true as const };
      },
    };
    await quoted(quoterWith({ store: store as never }), asks());
    expect(kept).toMatchObject({
      features: ['gas_top_up'],
      topUp: {
        currency: NATIVE,
        amount: '1000000000000000',
        minimumAmount: '995000000000000',
        usd: '2000',
        spreadBps: 0,
      },
      terms: { topUp: { value: '2000000', gas: '200000' } },
    });
    expect(kept?.order.output.payments).toHaveLength(1);
  });
});

describe('a gas top-up is refused', () => {
  it.each([
    ['0', 'must be more than 0'],
    ['20000001', 'must be worth at most 20.000000 USD'],
  ])('of %s', async (topupGasAmount, reason) => {
    expect(await refusal({ topupGasAmount })).toMatchObject({
      ...{ code: 'INVALID_REQUEST', errorData: { field: 'topupGasAmount', reason } },
    });
  });

  it('where the deposit does not cover it, naming the least that does', async () => {
    const { code, errorData } = await refusal({ amount: '2100000' });
    expect(code).toBe('AMOUNT_TOO_LOW');
    const least = String((errorData as { minimum: string }).minimum);
    expect(await quoted(quoter, asks({ amount: least }))).not.toBeInstanceOf(ApiError);
    expect((await refusal({ amount: (BigInt(least) - 1n).toString() })).code).toBe('AMOUNT_TOO_LOW');
  });

  it('where the solver holds too little coin', async () => {
    const engine = {
      ...{
        volumeLeft: () => null,
        paused: () => null,
        pauseReason: () => null,
        shortOfSpace: () => false,
        unserved: () => null,
      },
      earmark: () => [],
      available: (_chain: number, currency: string) => (currency === TOKEN ? 10n ** 40n : 10n ** 14n),
    };
    expect(await refusal({}, quoterWith({ engine }))).toMatchObject({
      ...{ code: 'INSUFFICIENT_LIQUIDITY', errorData: { field: 'topupGasAmount' } },
    });
  });

  it('where the recipient could never be paid so little, or at all', async () => {
    beta.state.refuseFill = ({ currency }) =>
      currency === NATIVE ? { why: 'amount', least: 5n * 10n ** 15n, message: 'it opens an account' } : undefined;
    expect(await refusal({})).toMatchObject({
      ...{ code: 'INVALID_REQUEST', errorData: { field: 'topupGasAmount' } },
    });
    beta.state.refuseFill = ({ currency }) =>
      currency === NATIVE ? { why: 'recipient', message: 'keeps what it gets' } : undefined;
    expect((await refusal({})).code).toBe('INVALID_RECIPIENT');
  });

  it('where its recipient refuses it, and costs what its recipient takes', async () => {
    const chain = beta.adapter;
    const before = chain.fillCost;
    chain.fillCost = async ({ currency }) =>
      currency === NATIVE
        ? { ok: false, kind: 'refused', reason: 'TRANSFER_FAILED', message: 'it takes no coin' }
        : undefined;
    expect(await refusal({})).toMatchObject({ code: 'DESTINATION_TX_FAILED' });
    chain.fillCost = async ({ currency }) =>
      currency === NATIVE ? { native: 10n ** 15n, work: 300_000n, at: 0 } : undefined;
    const [bare, withTopUp] = [await quoted(quoter), await quoted(quoter, asks())];
    if (bare instanceof Error || withTopUp instanceof Error) throw new Error('refused');
    expect(BigInt(withTopUp.fees.relayerGas.amount) - BigInt(bare.fees.relayerGas.amount)).toBe(2_000_000n);
    chain.fillCost = async () => ({ ok: false, kind: 'unavailable', reason: 'UNKNOWN', message: 'nobody answers' });
    expect((await refusal({})).code).toBe('RPC_HTTP_ERROR');
    if (before) chain.fillCost = before;
  });
});
