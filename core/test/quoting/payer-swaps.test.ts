import { beforeEach, describe, expect, it } from 'vitest';
import type { LiquiditySource, PayerSwap, QuoteRow, SwapParties, SwapWish } from '../../src/contract/index.js';
import type { QuoteBody } from '../../src/domain/quote.js';
import type { QuoteAnswer } from '../../src/quoting/answer.js';
import type { QuotingDeps } from '../../src/quoting/quoting-deps.js';
import { INVENTORY, NATIVE, OTHER_TOKEN, TOKEN } from '../api/support/chain-double.js';
import { alpha, pricesOf, quoted, quoterWith } from './support/quoter-with.js';

const USDC = 1_000_000n;
const DAI = 10n ** 18n;
const OTHER_ACCOUNT = `0x${'5e'.repeat(20)}`;
const GAS = 12_345n;

let made: PayerSwap[];
let parties: SwapParties[];
let rows: QuoteRow[];
let providers: number;

/** One DAI for a dollar, less 0.1 %. */
const pools: LiquiditySource = {
  id: 'pools',
  supports: (chainId) => chainId === 1,
  quote: ({ kind, amount, input, output }: SwapWish) => {
    if (input !== TOKEN || output !== OTHER_TOKEN) return { ok: false, why: 'noRoute', message: 'no pools' };
    const rate = (DAI * 999n) / 1_000n / USDC;
    const [amountIn, amountOut] = kind === 'exactInput' ? [amount, amount * rate] : [amount / rate + 1n, amount];
    return { ok: true, quotes: [{ amountIn, amountOut, route: [input, output], work: 7n, height: 1, plan: null }] };
  },
  calls: (_wish, _quote, given) => {
    parties.push(given);
    return [{ to: OTHER_ACCOUNT, value: 0n, data: '0x01' }];
  },
};

beforeEach(() => {
  [made, parties, rows, providers] = [[], [], [], 1];
});

async function quote(change: object = {}, sources = [pools], more: Partial<QuotingDeps> = {}) {
  const { adapter } = alpha;
  const payerSwaps = {
    steps: (swap: PayerSwap) => {
      made.push(swap);
      const id = swap.calls.length === 0 ? ('send' as const) : ('swap' as const);
      const step = { action: '', description: '', items: [{ data: { to: OTHER_ACCOUNT } }] };
      return [
        { ...step, id: 'approve' as const },
        { ...step, id },
      ];
    },
    account: (orderId: string) => `account of ${orderId}`,
    cost: ({ work }: { readonly work: bigint }) => ({ native: GAS + work, at: 0 }),
  };
  const chain = new Proxy(adapter, {
    get: (target, name) => {
      if (name === 'capabilities') return { ...target.capabilities, payerSwaps };
      if (name === 'quorum') return () => providers;
      const value: unknown = Reflect.get(target, name, target);
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });
  const quoter = quoterWith({
    chains: new Map([[1, chain]]),
    liquidity: () => sources,
    prices: pricesOf({ ether: '2000' }),
    store: {
      ...{ unpaidQuotes: async () => 0, ordersByPrefix: async () => [], requests: async () => [] },
      apply: async ({ changes }) => {
        for (const one of changes) if (one.op === 'insert' && one.table === 'quotes') rows.push(one.row);
        return { ok: true };
      },
    },
    ...more,
  });
  return quoted(quoter, {
    ...{ originCurrency: TOKEN, destinationCurrency: OTHER_TOKEN, destinationChainId: 1 },
    ...{ amount: (100n * USDC).toString() },
    ...change,
  });
}

async function answer(...given: Parameters<typeof quote>): Promise<QuoteAnswer> {
  const answered = await quote(...given);
  if (answered instanceof Error) throw answered;
  return answered;
}

const stepsOf = async (...given: Parameters<typeof quote>) => (await answer(...given)).steps.map(({ id }) => id);
const body = () => JSON.parse(rows.at(-1)?.body ?? '') as QuoteBody;

describe('a quote that its payer executes', () => {
  it('swaps what the fee leaves, with the least that counts, and takes no fee for gas', async () => {
    const { steps, fees, details, protocol } = await answer({ slippageTolerance: '50' });
    expect(steps.map(({ id, items }) => [id, items[0]?.check !== undefined])).toEqual([
      ['approve', false],
      ['swap', true],
    ]);
    const fee = BigInt(fees.relayerService.amount);
    expect(fee).toBeGreaterThan(0n);
    expect([fees.relayerGas.amount, fees.gas.amount]).toEqual(['0', (GAS + 7n).toString()]);
    const out = ((100n * USDC - fee) * ((DAI * 999n) / 1_000n)) / USDC;
    expect(details.currencyOut.amount).toBe(out.toString());
    const least = (out * 9_950n) / 10_000n;
    expect(details.currencyOut.minimumAmount).toBe(least.toString());
    const orderId = protocol.v2.orderId as `0x${string}`;
    expect(made).toMatchObject([
      { orderId, amountIn: 100n * USDC, least, fee: { to: INVENTORY, amount: fee }, input: TOKEN, output: OTHER_TOKEN },
    ]);
    expect(parties).toEqual([{ payer: `account of ${orderId}`, recipient: made[0]?.recipient, limit: least }]);
    expect(details.route.origin).toMatchObject({ router: 'pools', includedSwapSources: ['pools'] });
    expect(Number(details.swapImpact.percent)).toBeCloseTo(-0.1, 1);
    expect(body()).toMatchObject({
      ...{ requestType: 'Same-chain Swap', minimumAmount: least.toString() },
      payerSwap: { fee: fee.toString(), feeTo: INVENTORY, appFees: [], sources: ['pools'] },
    });
  });

  it('asks for more than an exact output takes, as much as is tolerated', async () => {
    const change = { tradeType: 'EXACT_OUTPUT', amount: (50n * DAI).toString(), slippageTolerance: '100' };
    const { details } = await answer(change);
    expect(details.currencyOut).toMatchObject({
      amount: (50n * DAI).toString(),
      minimumAmount: (50n * DAI).toString(),
    });
    const [swap] = made;
    const given = (swap?.amountIn ?? 0n) - (swap?.fee?.amount ?? 0n);
    expect(parties[0]?.limit).toBe(given);
    expect(given).toBeGreaterThanOrEqual(50n * USDC + USDC / 2n);
    expect(given).toBeLessThan(51n * USDC);
  });

  it('sends what is not to be exchanged, to anyone but the payer itself', async () => {
    const change = { destinationCurrency: TOKEN, recipient: OTHER_ACCOUNT };
    expect(await stepsOf(change)).toEqual(['approve', 'send']);
    const [sent] = made;
    expect(sent).toMatchObject({ calls: [], least: 100n * USDC - (sent?.fee?.amount ?? 0n), recipient: OTHER_ACCOUNT });
    expect(await stepsOf({ destinationCurrency: TOKEN, recipient: undefined })).toEqual(['approve', 'deposit']);
  });

  it('keeps a share of the fee for each integrator, to the unit', async () => {
    const appFees = ['30', '45'].map((fee) => ({ recipient: OTHER_ACCOUNT, fee }));
    const { fees } = await answer({ appFees });
    const { fee, appFees: shares = [] } = body().payerSwap ?? {};
    expect(shares.map(BigInt)).toEqual([300_000n, 450_000n]);
    expect(BigInt(fee ?? 0)).toBe(BigInt(fees.relayerService.amount) + 750_000n);
    // One provider's report creates no debt.
    providers = 2;
    expect(await stepsOf({ appFees })).toEqual(['approve', 'deposit']);
    expect(await stepsOf()).toEqual(['approve', 'swap']);
  });

  it.each<[string, object]>([
    ['that asks for the solver', { forceSolverExecution: true }],
    ['that wants to see a refund', { referrer: 'debug-force-refund' }],
    ['that no source serves', { destinationCurrency: NATIVE }],
    ['whose sources are barred', { excludedSwapSources: ['pools'] }],
  ])('is none %s: it goes through inventory', async (_, change) => {
    expect(await stepsOf(change)).toEqual(['approve', 'deposit']);
    expect(body().payerSwap).toBeUndefined();
  });

  it('is all there is where only sources will do', async () => {
    expect(await stepsOf({ useExternalLiquidity: true })).toEqual(['approve', 'swap']);
    const none = { useExternalLiquidity: true, destinationCurrency: NATIVE };
    expect(await quote(none)).toMatchObject({ code: 'NO_SWAP_ROUTES_FOUND' });
    expect(
      await quote({ useExternalLiquidity: true, destinationCurrency: TOKEN, recipient: OTHER_ACCOUNT }),
    ).toMatchObject({
      code: 'NO_SWAP_ROUTES_FOUND',
    });
  });

  it('is refused below 0.05 USD, as every swap within one chain', async () => {
    expect(await quote({ amount: '49999' })).toMatchObject({ code: 'AMOUNT_TOO_LOW' });
  });

  describe('is not made of calls that cannot be built any more', () => {
    const build = async () => ({ ok: false, why: 'moved', message: 'it moved' }) as const;
    /** Quotes more than the pools without offering it. */
    const liar: LiquiditySource = {
      ...pools,
      ...{ id: 'Liar', build },
      quote: ({ amount, input, output }) => ({
        ok: true,
        quotes: [
          { amountIn: amount, amountOut: amount * DAI, route: [input, output], work: 7n, height: 1, plan: null },
        ],
      }),
    };
    const only = { useExternalLiquidity: true };

    it('but of those of the next source', async () => {
      expect(await stepsOf({}, [liar, pools])).toEqual(['approve', 'swap']);
      expect(body().payerSwap).toMatchObject({ sources: ['pools'] });
      expect(made).toHaveLength(1);
    });

    it('or it goes through inventory', async () => {
      expect(await stepsOf({}, [liar])).toEqual(['approve', 'deposit']);
      expect(body().payerSwap).toBeUndefined();
    });

    it('or is refused, once a few have failed', async () => {
      const asked: string[] = [];
      const liars = [1, 2, 3, 4].map((n) => ({
        ...liar,
        id: `liar-${n}`,
        build: async () => {
          asked.push(`liar-${n}`);
          return build();
        },
      }));
      expect(await quote(only, [...liars, pools])).toMatchObject({ code: 'SWAP_QUOTE_FAILED' });
      expect(asked).toEqual(['liar-1', 'liar-2', 'liar-3']);
      expect(rows).toEqual([]);
    });
  });
});
