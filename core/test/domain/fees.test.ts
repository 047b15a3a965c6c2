import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { decimalText } from '../../src/domain/decimal.js';
import {
  minimumAmount,
  type PriceTerms,
  priceExactInput,
  priceExactOutput,
  topUpCharge,
} from '../../src/domain/fees.js';

const base: PriceTerms = {
  inDecimals: 6,
  outDecimals: 6,
  inUsd: '1',
  outUsd: '1',
  relayerGas: '1000',
  serviceBps: 10,
  serviceFloor: '500',
  appFees: [],
};

const usd = fc.bigInt({ min: 1n, max: 10n ** 24n }).map((scaled) => decimalText(scaled, 18));
const decimals = fc.integer({ min: 0, max: 20 });
const small = fc.bigInt({ min: 0n, max: 10n ** 7n });

const terms: fc.Arbitrary<PriceTerms> = fc.record({
  inDecimals: decimals,
  outDecimals: decimals,
  inUsd: usd,
  outUsd: usd,
  relayerGas: small.map(String),
  serviceBps: fc.integer({ min: 0, max: 9_000 }),
  serviceFloor: small.map(String),
  appFees: fc.array(fc.record({ recipient: fc.constant('someone'), bps: fc.integer({ min: 0, max: 400 }) }), {
    maxLength: 5,
  }),
});

const topUps = fc
  .tuple(terms, small, small)
  .map(([t, value, gas]): PriceTerms => ({ ...t, topUp: { value: value.toString(), gas: gas.toString() } }));

const inputs = fc.oneof(fc.bigInt({ min: 1n, max: 10n ** 6n }), fc.bigInt({ min: 1n, max: 10n ** 30n }));
const outputs = fc.oneof(fc.bigInt({ min: 1n, max: 10n ** 4n }), fc.bigInt({ min: 1n, max: 10n ** 28n }));

const total = (parts: readonly bigint[]) => parts.reduce((sum, part) => sum + part, 0n);

describe('priceExactInput', () => {
  it('takes gas, the service fee and app fees, then converts what is left', () => {
    const priced = priceExactInput(1_000_000n, {
      ...base,
      appFees: [
        { recipient: 'a', bps: 25 },
        { recipient: 'b', bps: 5 },
      ],
    });
    expect(priced).toEqual({
      ok: true,
      amounts: {
        amountIn: 1_000_000n,
        amountOut: 995_000n,
        relayerGas: 1_000n,
        relayerService: 1_000n,
        app: [2_500n, 500n],
      },
    });
  });

  it('charges at least the floor', () => {
    const priced = priceExactInput(100_000n, base);
    expect(priced.ok && priced.amounts.relayerService).toBe(500n);
  });

  it.each([0n, -5n, 1n, 1_500n])('leaves nothing of %s', (amount) => {
    expect(priceExactInput(amount, base)).toEqual({ ok: false, reason: 'NEGATIVE_NEW_AMOUNT_AFTER_FEES' });
  });

  it('leaves nothing where what is left is worth less than one unit of the output', () => {
    expect(priceExactInput(1_501n, { ...base, outDecimals: 0 }).ok).toBe(false);
  });

  it('splits the input to the unit, and never pays out more than what is left is worth', () => {
    fc.assert(
      fc.property(inputs, terms, (amountIn, t) => {
        const priced = priceExactInput(amountIn, t);
        if (!priced.ok) return;
        const { amountOut, relayerGas, relayerService, app } = priced.amounts;
        const net = amountIn - relayerGas - relayerService - total(app);
        expect(net > 0n).toBe(true);
        const scale = (price: string, digits: number) => scaled(price) * 10n ** BigInt(30 - digits);
        const worthIn = net * scale(t.inUsd, t.inDecimals);
        const unitOut = scale(t.outUsd, t.outDecimals);
        expect(amountOut * unitOut <= worthIn && worthIn < (amountOut + 1n) * unitOut).toBe(true);
      }),
    );
  });

  it('takes no fee that is more than a unit from its share, and no less than all shares together', () => {
    fc.assert(
      fc.property(inputs, terms, (amountIn, t) => {
        const priced = priceExactInput(amountIn, { ...t, relayerGas: '0', serviceFloor: '0' });
        if (!priced.ok) return;
        const shares = [t.serviceBps, ...t.appFees.map((fee) => fee.bps)].map((bps) => amountIn * BigInt(bps));
        const parts = [priced.amounts.relayerService, ...priced.amounts.app];
        expect(parts.length).toBe(shares.length);
        for (const [index, part] of parts.entries()) {
          const error = part * 10_000n - (shares[index] ?? 0n);
          expect(error > -10_000n && error < 10_000n && part >= 0n).toBe(true);
        }
        const excess = total(parts) * 10_000n - total(shares);
        expect(excess >= 0n && excess < 10_000n).toBe(true);
      }),
    );
  });

  it('never gives less for more', () => {
    fc.assert(
      fc.property(inputs, fc.bigInt({ min: 1n, max: 50n }), terms, (amountIn, more, t) => {
        const [less, rich] = [priceExactInput(amountIn, t), priceExactInput(amountIn + more, t)];
        if (less.ok) expect(rich.ok && rich.amounts.amountOut >= less.amounts.amountOut).toBe(true);
      }),
      { numRuns: 500 },
    );
  });
});

describe('priceExactOutput', () => {
  it('finds the smallest input that buys the output', () => {
    fc.assert(
      fc.property(outputs, terms, (amountOut, t) => {
        const priced = priceExactOutput(amountOut, t);
        expect(priced.ok).toBe(t.serviceBps + t.appFees.reduce((sum, fee) => sum + fee.bps, 0) < 10_000);
        if (!priced.ok) return;
        const { amountIn } = priced.amounts;
        expect(priced.amounts.amountOut).toBe(amountOut);
        const forward = priceExactInput(amountIn, t);
        expect(forward.ok && forward.amounts.amountOut >= amountOut).toBe(true);
        if (forward.ok) expect({ ...forward.amounts, amountOut }).toEqual(priced.amounts);
        const cheaper = priceExactInput(amountIn - 1n, t);
        expect(cheaper.ok && cheaper.amounts.amountOut >= amountOut).toBe(false);
      }),
      { numRuns: 1_000 },
    );
  });

  it('asks for no more than an input that is known to buy it', () => {
    fc.assert(
      fc.property(inputs, terms, (amountIn, t) => {
        const forward = priceExactInput(amountIn, t);
        if (!forward.ok) return;
        const back = priceExactOutput(forward.amounts.amountOut, t);
        expect(back.ok && back.amounts.amountIn <= amountIn).toBe(true);
      }),
    );
  });

  it('cannot be reached when fees take everything', () => {
    expect(priceExactOutput(1n, { ...base, serviceBps: 10_000 }).ok).toBe(false);
    expect(priceExactOutput(0n, base).ok).toBe(false);
  });
});

describe('minimumAmount', () => {
  it('takes the tolerance off, rounded down', () => {
    expect(minimumAmount(196_567n, 0)).toBe(196_567n);
    expect(minimumAmount(10_001n, 50)).toBe(9_950n);
    expect(minimumAmount(1n, 10_000)).toBe(0n);
  });
});

it('refuses terms that are not basis points', () => {
  expect(() => priceExactInput(1n, { ...base, serviceBps: -1 })).toThrow(RangeError);
  expect(() => priceExactInput(1n, { ...base, appFees: [{ recipient: 'a', bps: 0.5 }] })).toThrow(RangeError);
});

function scaled(price: string): bigint {
  const [whole = '0', fraction = ''] = price.split('.');
  return BigInt(whole + fraction.padEnd(18, '0'));
}

describe('native coin in addition to the output', () => {
  it('costs its value and its gas, and nothing else', () => {
    fc.assert(
      fc.property(inputs, topUps, (amountIn, t) => {
        const { topUp: _, ...without } = t;
        const priced = priceExactInput(amountIn, t);
        const charge = topUpCharge(t);
        // The rest after the charge converts as without it.
        const same = priceExactInput(amountIn, { ...without, relayerGas: (BigInt(t.relayerGas) + charge).toString() });
        expect(priced.ok).toBe(same.ok);
        if (!priced.ok || !same.ok) return;
        const gas = BigInt(t.topUp?.gas ?? '0');
        expect(priced.amounts).toEqual({ ...same.amounts, relayerGas: BigInt(t.relayerGas) + gas });
      }),
      { numRuns: 500 },
    );
  });

  it('is inverted to the unit', () => {
    fc.assert(
      fc.property(outputs, topUps, (amountOut, t) => {
        const priced = priceExactOutput(amountOut, t);
        if (!priced.ok) return;
        const { amountIn } = priced.amounts;
        const forward = priceExactInput(amountIn, t);
        expect(forward.ok && forward.amounts.amountOut >= amountOut).toBe(true);
        const cheaper = priceExactInput(amountIn - 1n, t);
        expect(cheaper.ok && cheaper.amounts.amountOut >= amountOut).toBe(false);
      }),
      { numRuns: 500 },
    );
  });
});
