import { beforeEach, describe, expect, it } from 'vitest';
import type { LiquiditySource, QuoteRow, SwapDeposit, SwapWish } from '../../src/contract/index.js';
import type { QuoteBody } from '../../src/domain/quote.js';
import type { ApiError } from '../../src/errors/api-error.js';
import type { QuoteAnswer } from '../../src/quoting/answer.js';
import { NATIVE, OTHER_TOKEN, TOKEN } from '../api/support/chain-double.js';
import { alpha, beta, pricesOf, quoted, quoterWith } from './support/quoter-with.js';

const USDC = 1_000_000n;
const DAI = 10n ** 18n;
const OTHER_ACCOUNT = `0x${'5e'.repeat(20)}`;
const VENUE = `0x${'7e'.repeat(20)}`;

/** Millionths of the market price by output. */
let gives: Map<string, bigint>;
let made: SwapDeposit[];
let rows: QuoteRow[];
let asked: string[];

/** Unit value in the other currency. */
const WHOLE = new Map([
  [NATIVE, { unit: 10n ** 18n, usd: 2_000n }],
  [TOKEN, { unit: USDC, usd: 1n }],
  [OTHER_TOKEN, { unit: DAI, usd: 1n }],
]);

function worth(amount: bigint, from: string, to: string): bigint {
  const [a, b] = [WHOLE.get(from), WHOLE.get(to)];
  if (!a || !b) throw new Error('no such currency');
  return (amount * a.usd * b.unit) / (a.unit * b.usd);
}

function source(id: string, bonus = 0n, more: Partial<LiquiditySource> = {}): LiquiditySource {
  return {
    id,
    supports: (chainId) => chainId === 1,
    quote: ({ kind, amount, input, output }: SwapWish) => {
      asked.push(id);
      const per = gives.get(output);
      if (input !== OTHER_TOKEN || per === undefined) return { ok: false, why: 'noRoute', message: 'no pools' };
      const rate = per + bonus;
      const [amountIn, amountOut] =
        kind === 'exactInput'
          ? [amount, (worth(amount, input, output) * rate) / 1_000_000n]
          : [(worth(amount, output, input) * 1_000_000n) / rate + 1n, amount];
      return { ok: true, quotes: [{ amountIn, amountOut, route: [input, output], work: 7n, height: 1, plan: null }] };
    },
    calls: () => [{ to: VENUE, value: 0n, data: '0x01' }],
    ...more,
  };
}

beforeEach(() => {
  [made, rows, asked] = [[], [], []];
  gives = new Map([[TOKEN, 997_000n]]);
});

/** DAI on alpha, not accepted there, for USDC on beta. */
async function quote(change: object = {}, sources = [source('pools')]) {
  const deposits = {
    depositor: OTHER_ACCOUNT,
    refundAccount: () => OTHER_ACCOUNT,
    refundWork: 170_000n,
    steps: (swap: SwapDeposit) => {
      made.push(swap);
      const step = { action: '', description: '', items: [{ data: { to: OTHER_ACCOUNT } }] };
      return [
        { ...step, id: 'approve' as const },
        { ...step, id: 'deposit' as const },
      ];
    },
  };
  const cost = ({ work }: { readonly work: bigint }) => ({ native: 12_345n + work, at: 0 });
  const payerSwaps = { steps: () => [], account: (orderId: string) => `account of ${orderId}`, cost, deposits };
  const listed = alpha.adapter
    .currencies()
    .map((one) => (one.address === OTHER_TOKEN ? { ...one, isSwappedIn: true as const } : one));
  const own: Readonly<Record<string, unknown>> = {
    capabilities: { ...alpha.adapter.capabilities, payerSwaps },
    currencies: () => listed,
    currency: (text: string) => listed.find(({ address }) => address === text.toLowerCase()),
  };
  const chain = new Proxy(alpha.adapter, {
    get: (target, name) => {
      if (typeof name === 'string' && name in own) return own[name];
      const value: unknown = Reflect.get(target, name, target);
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });
  const quoter = quoterWith({
    chains: new Map([
      [1, chain],
      [2, beta.adapter],
    ]),
    liquidity: () => sources,
    prices: pricesOf({ ether: '2000' }),
    store: {
      ...{ unpaidQuotes: async () => 0, ordersByPrefix: async () => [], requests: async () => [] },
      apply: async ({ changes }) => {
        for (const one of changes) if (one.op === 'insert' && one.table === 'quotes') rows.push(one.row);
        return { ok: true };
      },
    },
  });
  const wish = { originCurrency: OTHER_TOKEN, destinationCurrency: TOKEN, amount: (100n * DAI).toString() };
  return quoted(quoter, { ...wish, ...change });
}

async function answer(...given: Parameters<typeof quote>): Promise<QuoteAnswer> {
  const reported = await quote(...given);
  if (reported instanceof Error) throw reported;
  return reported;
}

async function refusal(...given: Parameters<typeof quote>): Promise<ApiError> {
  const reported = await quote(...given);
  if (!(reported instanceof Error)) throw new Error('it was quoted');
  return reported;
}

const body = () => JSON.parse(rows.at(-1)?.body ?? '') as QuoteBody;

describe('what the solver does not take', () => {
  it('is swapped within the deposit: what comes out begins the money path, the least is what the least output takes', async () => {
    const { steps, details } = await answer({ slippageTolerance: '100' });
    expect(steps.map(({ id }) => id)).toEqual(['approve', 'deposit']);
    const { origin, amountIn, amountOut, minimumAmount, swapIn } = body();
    expect(origin.currency).toBe(TOKEN);
    expect(BigInt(amountIn)).toBe((100n * USDC * 997n) / 1_000n);
    expect(swapIn).toMatchObject({ amount: (100n * DAI).toString(), source: 'pools', side: { currency: OTHER_TOKEN } });
    const least = BigInt(swapIn?.least ?? 0);
    expect(least).toBeLessThan(BigInt(amountIn));
    expect(least).toBeGreaterThan((BigInt(amountIn) * 985n) / 1_000n);
    expect(BigInt(swapIn?.most ?? 0)).toBe((BigInt(amountIn) * 101n) / 100n);
    expect(BigInt(minimumAmount)).toBe((BigInt(amountOut) * 99n) / 100n);
    expect(made[0]).toMatchObject({ input: OTHER_TOKEN, output: TOKEN, amountIn: 100n * DAI, least });
    expect(details.currencyIn).toMatchObject({ amount: (100n * DAI).toString(), currency: { symbol: 'DAI' } });
  });

  it('is bought for exactly by as much more as is tolerated, and exactly that is deposited', async () => {
    const change = { tradeType: 'EXACT_OUTPUT', amount: (50n * USDC).toString(), slippageTolerance: '200' };
    await answer(change);
    const { amountIn, amountOut, swapIn } = body();
    expect(amountOut).toBe((50n * USDC).toString());
    expect(swapIn?.least).toBe(amountIn);
    expect(swapIn).not.toHaveProperty('most');
    const takes = (worth(BigInt(amountIn), TOKEN, OTHER_TOKEN) * 1_000_000n) / 997_000n + 1n;
    expect(BigInt(swapIn?.amount ?? 0)).toBe((takes * 10_200n + 9_999n) / 10_000n);
  });

  it('becomes whatever the most comes of, less what swapping costs its payer', async () => {
    gives.set(NATIVE, 998_000n);
    await answer();
    expect(body().origin.currency).toBe(NATIVE);
    gives.set(NATIVE, 996_000n);
    await answer();
    expect(body().origin.currency).toBe(TOKEN);
  });

  it('goes by the source that gives more, in whatever order they are asked', async () => {
    const both = [source('pools'), source('better', 1_000n)];
    await answer({}, both);
    expect(body().swapIn?.source).toBe('better');
    const chosen = new Set<string | undefined>();
    for (const sources of [both, [...both].reverse()]) {
      await answer({}, sources);
      chosen.add(body().swapIn?.source);
    }
    expect([...chosen]).toEqual(['better']);
  });

  it('goes only by the sources that a client names for the origin', async () => {
    const both = [source('pools'), source('better', 1_000n)];
    await answer({ includedOriginSwapSources: ['Pools'] }, both);
    expect(body().swapIn).toMatchObject({ source: 'pools', rules: { included: ['pools'] } });
    expect(asked).not.toContain('better');
    await answer({ excludedSwapSources: ['better'] }, both);
    expect(body().swapIn?.source).toBe('pools');
    // A destination filter says nothing about the origin.
    await answer({ includedDestinationSwapSources: ['pools'] }, both);
    expect(body().swapIn?.source).toBe('better');
  });

  it('is refused where nothing may be swapped, or nothing leads on', async () => {
    for (const change of [
      { disableOriginSwaps: true },
      { includedOriginSwapSources: ['nobody'] },
      { includedSwapSources: ['pools'], includedOriginSwapSources: ['other'] },
    ])
      expect(await refusal(change)).toMatchObject({ code: 'NO_SWAP_ROUTES_FOUND' });
    gives.clear();
    expect(await refusal()).toMatchObject({ code: 'NO_SWAP_ROUTES_FOUND' });
    expect(rows).toEqual([]);
  });

  it('is refused where the pools take too much of it, unless its payer accepts that', async () => {
    gives.set(TOKEN, 800_000n);
    expect(await refusal()).toMatchObject({ code: 'SWAP_IMPACT_TOO_HIGH' });
    await answer({ overridePriceImpact: true });
    expect(body().swapIn).toMatchObject({ anyImpact: true });
  });

  it('does not wait for a source that reports nothing in time', async () => {
    const never = source('slow', 2_000n, { quote: () => new Promise(() => undefined) });
    await answer({}, [source('pools'), never]);
    expect(body().swapIn?.source).toBe('pools');
  });

  it('is too little by an amount of what is paid with, and that amount is enough', async () => {
    const reported = await refusal({ amount: (10n ** 13n).toString() });
    expect(reported.code).toBe('AMOUNT_TOO_LOW');
    const { minimum } = reported.errorData as { readonly minimum: string };
    // In DAI's decimals.
    expect(BigInt(minimum)).toBeGreaterThan(10n ** 13n);
    await answer({ amount: ((BigInt(minimum) * 101n) / 100n).toString() });
  });
});
