import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { FillWish, LiquiditySource, SwapWish } from '../../src/contract/index.js';
import type { ApiError } from '../../src/errors/api-error.js';
import type { QuoteAnswer } from '../../src/quoting/answer.js';
import type { QuoteCaller } from '../../src/quoting/ask.js';
import type { QuotingDeps } from '../../src/quoting/quoting-deps.js';
import { NATIVE, OTHER_TOKEN, TOKEN } from '../api/support/chain-double.js';
import { alpha, beta, pricesOf, quoted, quoterWith } from './support/quoter-with.js';

/** Output units per million input units, by output. */
let rates: Map<string, bigint>;
let tried: FillWish[];
let held: Map<string, bigint>;
let asked: string[];

function source(id: string, more: Partial<LiquiditySource> = {}, factor = 1_000n): LiquiditySource {
  return {
    id,
    supports: (chainId) => chainId === 2,
    quote: ({ kind, amount, input, output }: SwapWish) => {
      asked.push(id);
      const rate = rates.get(`${input}>${output}`);
      if (rate === undefined) return { ok: false, why: 'noRoute', message: 'no pools lead there' };
      const per = (rate * factor) / 1_000n;
      const [amountIn, amountOut] =
        kind === 'exactInput'
          ? [amount, (amount * per) / 1_000_000n]
          : [(amount * 1_000_000n + per - 1n) / per, amount];
      return { ok: true, quotes: [{ amountIn, amountOut, route: [input, output], work: 0n, height: 1, plan: null }] };
    },
    calls: (_wish, _quote, { payer, limit }) => [
      { to: payer, value: 0n, data: `0x${limit.toString(16).padStart(64, '0')}` },
    ],
    ...more,
  };
}

const ONE_DOLLAR = 1_000_000n;

/** USDC on alpha for DAI on beta. */
async function quote(
  change: object = {},
  sources = [source('pools')],
  deps: Partial<QuotingDeps> = {},
  by?: QuoteCaller,
) {
  const quoter = quoterWith({
    liquidity: () => sources,
    prices: pricesOf({ ether: '2000' }),
    engine: {
      available: (_chain, currency) => held.get(currency) ?? 0n,
      earmark: () => [],
      volumeLeft: () => null,
      paused: () => null,
      pauseReason: () => null,
      shortOfSpace: () => false,
      unserved: () => null,
    },
    ...deps,
  });
  return quoted(
    quoter,
    {
      ...{ originCurrency: TOKEN, destinationCurrency: OTHER_TOKEN, amount: (100n * ONE_DOLLAR).toString() },
      ...change,
    },
    by,
  );
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

beforeEach(() => {
  // The pool keeps 0.3 %.
  rates = new Map([[`${TOKEN}>${OTHER_TOKEN}`, 997_000n * 10n ** 12n]]);
  held = new Map([[TOKEN, 10n ** 30n]]);
  tried = [];
  asked = [];
  beta.state.calls = async (wish) => {
    tried.push(wish);
    return { native: 200_000_000_000_000n, work: 300_000n, at: 0 };
  };
});

afterEach(() => {
  alpha.reset();
  beta.reset();
});

describe('what inventory has not', () => {
  it('is exchanged for what it has, tried, and promised with the least that counts', async () => {
    const reported = await answer({ slippageTolerance: '100' });
    const { details, protocol } = reported;
    const { destination } = details.route;
    expect(destination.router).toBe('pools');
    expect(destination.includedSwapSources).toEqual(['pools']);
    expect(destination.inputCurrency.currency.symbol).toBe('USDC');
    const given = BigInt(destination.inputCurrency.amount);
    const got = (given * 997_000n * 10n ** 12n) / 1_000_000n;
    expect(details.currencyOut).toMatchObject({ amount: got.toString(), currency: { symbol: 'DAI' } });
    const least = (got * 99n) / 100n;
    expect(details.currencyOut.minimumAmount).toBe(least.toString());
    const [payment] = protocol.v2.orderData.output.payments;
    expect(payment).toMatchObject({
      currency: OTHER_TOKEN,
      expectedAmount: got.toString(),
      minimumAmount: least.toString(),
    });
    expect(protocol.v2.orderData.output.calls).toEqual([]);
    expect(Number(details.swapImpact.percent)).toBeCloseTo(-0.3, 1);
    expect(tried).toHaveLength(1);
    expect(tried[0]).toMatchObject({ currency: TOKEN, wanted: { currency: OTHER_TOKEN } });
  });

  it('is asked for exactly, with the slippage on top of what it takes', async () => {
    const amount = 50n * 10n ** 18n;
    const change = { tradeType: 'EXACT_OUTPUT', amount: amount.toString(), slippageTolerance: '200' };
    const { details } = await answer(change);
    expect(details.currencyOut).toMatchObject({ amount: amount.toString(), minimumAmount: amount.toString() });
    const takes = (50n * ONE_DOLLAR * 1_000_000n + 996_999n) / 997_000n;
    expect(BigInt(details.route.destination.inputCurrency.amount)).toBe((takes * 10_200n + 9_999n) / 10_000n);
    const target = await answer({ ...change, tradeType: 'EXPECTED_OUTPUT' });
    expect(BigInt(target.details.route.destination.inputCurrency.amount)).toBe(takes);
    expect(target.details.currencyOut.minimumAmount).toBe(((amount * 98n) / 100n).toString());
  });

  it('is exchanged at the cost of a sponsor, who pays what the swap loses, and no more', async () => {
    const sponsors = {
      integrator: async () => ({ ...{ id: 'int_1', version: 1, name: 'one', fundingAddress: 'f' }, createdAt: 0 }),
      pot: async () => 10n * ONE_DOLLAR,
      sponsorPolicy: async () => undefined,
    };
    const by = { keyId: 'key_1', integratorId: 'int_1', party: 'key', granted: [] };
    const asking = (change: object) => quote({ subsidizeFees: true, ...change }, [source('pools')], { sponsors }, by);
    const [all, fees] = [await asking({}), await asking({ sponsoredFeeComponents: ['execution', 'relay'] })];
    if (all instanceof Error || fees instanceof Error) throw new Error('it was not quoted');
    const { components } = (all.feeSponsorship ?? { quoted: {} }).quoted as {
      components: Record<string, { sponsored: { amount: string } }>;
    };
    const swap = BigInt(components['swap']?.sponsored.amount ?? '0');
    // Three thousandths of 100 dollars.
    expect(swap).toBe(300_000n);
    const out = (one: QuoteAnswer) => BigInt(one.details.currencyOut.amount);
    expect(out(fees)).toBe((100n * ONE_DOLLAR * 997_000n * 10n ** 12n) / 1_000_000n);
    expect(out(all)).toBe(((100n * ONE_DOLLAR + swap) * 997_000n * 10n ** 12n) / 1_000_000n);
    expect(BigInt(all.fees.subsidized.amount) - BigInt(fees.fees.subsidized.amount)).toBe(swap);
    const bold = await asking({ overridePriceImpact: true });
    if (bold instanceof Error) throw bold;
    expect(out(bold)).toBe(out(fees));
  });

  it('is refused as what inventory lacks, where no swap leads there', async () => {
    rates.clear();
    expect(await refusal()).toMatchObject({ code: 'INSUFFICIENT_LIQUIDITY' });
    expect(await refusal({ useExternalLiquidity: true })).toMatchObject({ code: 'NO_SWAP_ROUTES_FOUND' });
    expect(await refusal({}, [])).toMatchObject({ code: 'INSUFFICIENT_LIQUIDITY' });
  });

  it('is refused where the chain says that the swap fails, with what it says', async () => {
    beta.state.calls = async () => ({
      ok: false,
      kind: 'refused',
      reason: 'TOO_LITTLE_RECEIVED',
      message: 'brought 1',
    });
    expect(await refusal()).toMatchObject({ code: 'DESTINATION_TX_FAILED', message: 'The swap fails: brought 1' });
  });

  it('is refused where the pools have not so much, or report nothing', async () => {
    const reports = (why: 'tooMuch' | 'unavailable') => [
      source('pools', { quote: () => ({ ok: false, why, message: 'no' }) }),
    ];
    expect(await refusal({}, reports('tooMuch'))).toMatchObject({
      code: 'INSUFFICIENT_LIQUIDITY',
      message: 'There is too little liquidity for this amount: no. Ask for less, or for another currency',
      errorData: { field: 'amount', reason: 'no' },
    });
    expect(await refusal({ useExternalLiquidity: true }, reports('unavailable'))).toMatchObject({
      code: 'SWAP_QUOTE_FAILED',
      retriable: true,
    });
  });

  it('is refused where the pools take too much, unless the client accepts any', async () => {
    rates.set(`${TOKEN}>${OTHER_TOKEN}`, 800_000n * 10n ** 12n);
    expect(await refusal()).toMatchObject({ code: 'SWAP_IMPACT_TOO_HIGH' });
    await answer({ overridePriceImpact: true });
  });
});

describe('what inventory has', () => {
  beforeEach(() => held.set(OTHER_TOKEN, 10n ** 30n));

  it('is exchanged where that delivers more, and paid directly where not', async () => {
    // 10 bps or more means two assets; the pool takes 30.
    expect((await answer()).details.route.destination.router).toBe('relay');
    rates.set(`${TOKEN}>${OTHER_TOKEN}`, 1_020_000n * 10n ** 12n);
    expect((await answer()).details.route.destination.router).toBe('pools');
    expect((await answer({ excludedSwapSources: ['POOLS'] })).details.route.destination.router).toBe('relay');
    expect((await answer({ includedSwapSources: ['others'] })).details.route.destination.router).toBe('relay');
    expect((await answer({ includedDestinationSwapSources: ['pools'] })).details.route.destination.router).toBe(
      'pools',
    );
  });

  it('of one asset group is never asked about elsewhere', async () => {
    held.set(NATIVE, 10n ** 30n);
    await answer({ destinationCurrency: TOKEN });
    expect(asked).toEqual([]);
  });

  it('is exchanged all the same where the client asks for a swap', async () => {
    expect((await answer({ useExternalLiquidity: true })).details.route.destination.router).toBe('pools');
  });
});

describe('several sources', () => {
  it('compete, and one that promises more than it gives keeps no other from serving', async () => {
    const liar = source('liar', {}, 5_000n);
    beta.state.calls = async (wish) => {
      tried.push(wish);
      return tried.length === 1
        ? { ok: false, kind: 'refused', reason: 'TOO_LITTLE_RECEIVED', message: 'lied' }
        : { native: 1n, work: 300_000n, at: 0 };
    };
    const { details } = await answer({ overridePriceImpact: true }, [liar, source('pools')]);
    expect(details.route.destination.router).toBe('pools');
    expect(tried).toHaveLength(2);
  });

  it('that have to be measured make no swaps before calls of the order', async () => {
    const measured = source('measured', { isMeasured: true });
    const txs = [{ to: TOKEN, value: '0', data: '0x' }];
    expect((await answer({}, [measured])).details.route.destination.router).toBe('measured');
    expect(await refusal({ txs }, [measured])).toMatchObject({ code: 'INSUFFICIENT_LIQUIDITY' });
    const { protocol } = await answer({ txs }, [measured, source('pools')]);
    expect(protocol.v2.orderData.output.calls).toHaveLength(1);
    expect(tried.at(-1)?.wanted).toBeUndefined();
  });

  it('fall back only where no calls were written for what comes out', async () => {
    const kept: string[] = [];
    const store: QuotingDeps['store'] = {
      unpaidQuotes: async () => 0,
      ordersByPrefix: async () => [],
      requests: async () => [],
      apply: async ({ changes }) => {
        for (const change of changes)
          if (change.op === 'insert' && change.table === 'quotes') kept.push(change.row.body);
        return { ok: true };
      },
    };
    const txs = [{ to: TOKEN, value: '0', data: '0x' }];
    for (const change of [{}, { txs }]) await answer({ useFallbacks: true, ...change }, [source('pools')], { store });
    expect(kept.map((body) => JSON.parse(body).swapOut.fallback)).toEqual([true, undefined]);
  });

  it('that aim at what is ours, or send coin that no one gave, are not used', async () => {
    const { router } = beta.adapter.facts;
    const aiming = source('aiming', { calls: () => [{ to: router ?? '', value: 0n, data: '0x' }] }, 1_100n);
    const spending = source('spending', { calls: () => [{ to: TOKEN, value: 1n, data: '0x' }] }, 1_100n);
    for (const bad of [aiming, spending]) {
      expect((await answer({}, [bad, source('pools')])).details.route.destination.router).toBe('pools');
      expect(await refusal({ useExternalLiquidity: true }, [bad])).toMatchObject({ code: 'SWAP_QUOTE_FAILED' });
    }
  });

  it('that do not answer are left out', async () => {
    const broken = source('broken', {
      quote: () => {
        throw new Error('out of order');
      },
    });
    expect((await answer({}, [broken, source('pools')])).details.route.destination.router).toBe('pools');
  });
});
