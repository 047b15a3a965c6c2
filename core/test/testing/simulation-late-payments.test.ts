import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { decide } from '../../src/domain/decide.js';
import { fixedText } from '../../src/domain/decimal.js';
import { type PriceTerms, priceExactInput, priceExactOutput } from '../../src/domain/fees.js';
import type { TradeType } from '../../src/domain/quote.js';
import type { FakeDeposit, FakeFill } from '../../src/testing/fake-chain/fake-chain-types.js';
import type { ChainWatch } from '../../src/testing/simulation/oracle/chain-watch.js';
import { driftOf } from '../../src/testing/simulation/oracle/drift.js';
import type { Promised } from '../../src/testing/simulation/oracle/promised.js';
import { Safety } from '../../src/testing/simulation/oracle/safety.js';
import { Findings } from '../../src/testing/simulation/oracle/violation.js';
import { DESTINATION, NOW, ORIGIN, quoteBody } from '../engine/support/quotes.js';

const ORDER = `0x${'0d'.repeat(32)}` as const;

type Range = readonly [least: number, most: number];

interface Scene {
  readonly tradeType: TradeType;
  readonly amountIn: bigint;
  readonly expectedOut: bigint;
  readonly paid?: bigint;
  readonly filled: bigint;
  readonly decimals?: readonly [paid: number, got: number];
  /** Micro-USD per whole unit in the run. */
  readonly prices?: readonly [paid: Range, got: Range];
}

/** What the oracle says of one fill. */
function found(scene: Scene): readonly string[] {
  const { tradeType, amountIn, expectedOut, paid = amountIn, filled, decimals = [6, 6] } = scene;
  const prices = scene.prices ?? [
    [99_000_000, 108_900_000],
    [1_000_000, 1_000_000],
  ];
  const findings = new Findings(() => 0);
  const promise = {
    ...{ orderId: ORDER, tradeType, originChainId: ORIGIN, destinationChainId: DESTINATION, recipient: 'recipient' },
    ...{ currencyIn: 'in', currencyOut: 'out', amountIn, expectedOut, minimumOut: 0n },
  } as Promised;
  const deposit = { fundingKey: 'deposit', orderId: ORDER, currency: 'in', amount: paid } as FakeDeposit;
  const fill = { orderId: ORDER, currency: 'out', recipient: 'recipient', amount: filled } as FakeFill;
  const watch = (id: number, fills: readonly FakeFill[]) =>
    ({
      chain: { id },
      ...{ look: () => ({ deposits: [], fills, withdrawals: [], sweeps: [] }), lost: () => false },
      ...{ depositsOf: () => [deposit], refundOf: () => undefined },
    }) as unknown as ChainWatch;
  const sides = ['in', 'out'];
  const world = {
    spectator: () => ({
      currency: (name: string) => ({ group: name, decimals: decimals[sides.indexOf(name)] ?? 0 }),
    }),
    market: {
      range: (group: string) => {
        const [least = 0, most = 0] = prices[sides.indexOf(group)] ?? [];
        return { least, most };
      },
    },
  } as unknown as Parameters<typeof driftOf>[0];
  new Safety(
    new Map([watch(ORIGIN, []), watch(DESTINATION, [fill])].map((one) => [one.chain.id, one])),
    new Map([[ORDER, promise]]),
    new Set(),
    findings,
    (of) => driftOf(world, of),
    { look: () => undefined, riskTakenWith: () => undefined } as never,
    () => false,
    { amountWith: () => 0n, isPaid: () => false },
  ).step();
  return findings.list.map(({ rule }) => rule);
}

const trades = fc.constantFrom<TradeType>('EXACT_INPUT', 'EXACT_OUTPUT', 'EXPECTED_OUTPUT');
const amounts = fc.bigInt({ min: 1_000n, max: 10n ** 12n });
const decimals = fc.constantFrom(2, 6, 9, 18);
/** When quoted, and when paid. */
const prices = fc.tuple(fc.integer({ min: 10_000, max: 10 ** 9 }), fc.integer({ min: 10_000, max: 10 ** 9 }));

const rangeOf = (of: Range): Range => [Math.min(...of), Math.max(...of)];

function termsOf([inDecimals, outDecimals]: readonly [number, number], paid = 0, got = 0): PriceTerms {
  const [inUsd, outUsd] = [fixedText(BigInt(paid), 6), fixedText(BigInt(got), 6)];
  return { inDecimals, outDecimals, inUsd, outUsd, relayerGas: '41', serviceBps: 115, serviceFloor: '7', appFees: [] };
}

/** Quotes by the first terms, and decides a payment of the quoted amount by the second; undefined: no fill. */
function late(tradeType: TradeType, amount: bigint, [terms, lateTerms]: readonly PriceTerms[]) {
  if (terms === undefined || lateTerms === undefined) return undefined;
  const priced = tradeType === 'EXACT_INPUT' ? priceExactInput(amount, terms) : priceExactOutput(amount, terms);
  if (!priced.ok) return undefined;
  const { amountIn, amountOut } = priced.amounts;
  const promised = { amountIn: `${amountIn}`, amountOut: `${amountOut}`, minimumAmount: '1' };
  const quote = quoteBody(1, { tradeType, terms, ...promised });
  const from = { chainId: ORIGIN, currency: quote.origin.currency, depositor: 'depositor' };
  const deposit = { ...from, amount: amountIn, blockTime: quote.expiresAt + 1 };
  const rest = { taken: false, givenUp: false, maxRequestMicroUsd: null, valueMicroUsd: 0n };
  const decision = decide({ now: NOW, deposit, quote, lateTerms, pairNow: lateTerms, ...rest });
  return decision.kind === 'fill' ? { amountIn, expectedOut: amountOut, filled: decision.amountOut } : undefined;
}

/** Asked for 184 USD when the coin cost 99 USD: 1858586 units of input after fees, the last one not all needed. */
const ASKED = { tradeType: 'EXPECTED_OUTPUT', amountIn: 2_332_369n, expectedOut: 184_000_000n } as const;
const TOO_MUCH = ['fill-off-promise', 'fill-unpaid'];

describe('what the oracle says of a late payment', () => {
  it('accepts the worth of the whole input at the price of the payment', () => {
    expect(found({ ...ASKED, filled: (1_858_586n * 1_089n) / 10n })).toEqual([]);
  });

  it('finds the worth of one unit of input more', () => {
    expect(found({ ...ASKED, filled: (1_858_587n * 1_089n) / 10n })).toEqual(TOO_MUCH);
  });

  it('finds one unit of output more than moved prices give for a given input', () => {
    expect(found({ ...ASKED, tradeType: 'EXACT_INPUT', filled: 202_400_001n })).toEqual([]);
    expect(found({ ...ASKED, tradeType: 'EXACT_INPUT', filled: 202_400_002n })).toEqual(TOO_MUCH);
  });

  it('finds one unit more than an exact output, whatever the prices', () => {
    expect(found({ ...ASKED, tradeType: 'EXACT_OUTPUT', filled: 184_000_000n })).toEqual([]);
    expect(found({ ...ASKED, tradeType: 'EXACT_OUTPUT', filled: 184_000_001n })).toEqual(['fill-off-promise']);
  });

  it('finds the whole output for half of the input', () => {
    expect(found({ ...ASKED, paid: 1_166_184n, filled: 184_000_000n })).toEqual(['fill-unpaid']);
  });

  it('accepts all that the service decides, whatever the prices and decimals', () => {
    let decisions = 0;
    const places = fc.tuple(decimals, decimals);
    fc.assert(
      fc.property(trades, amounts, places, prices, prices, (tradeType, amount, of, paid, got) => {
        const played = late(
          tradeType,
          amount,
          [0, 1].map((n) => termsOf(of, paid[n], got[n])),
        );
        if (played === undefined) return;
        decisions += 1;
        expect(found({ ...played, tradeType, decimals: of, prices: [rangeOf(paid), rangeOf(got)] })).toEqual([]);
      }),
    );
    expect(decisions).toBeGreaterThan(50);
  });
});
