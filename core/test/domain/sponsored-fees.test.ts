import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { sponsoredBy } from '../../src/domain/decide.js';
import { type PriceTerms, priceExactInput, priceExactOutput } from '../../src/domain/fees.js';
import { guardPrice } from '../../src/domain/price-guard.js';
import {
  feesOf,
  SPONSOR_COMPONENTS,
  sponsorAt,
  sponsoredParts,
  withoutSponsor,
} from '../../src/domain/sponsored-fees.js';

const base: PriceTerms = {
  inDecimals: 6,
  outDecimals: 6,
  inUsd: '1',
  outUsd: '1',
  relayerGas: '1000',
  serviceBps: 10,
  serviceFloor: '500',
  appFees: [{ recipient: 'a', bps: 25 }],
  topUp: { value: '40', gas: '7' },
};
const small = fc.bigInt({ min: 0n, max: 10n ** 6n });
const drawn: fc.Arbitrary<PriceTerms> = fc
  .record({
    gas: small,
    bps: fc.integer({ min: 0, max: 4_000 }),
    floor: small,
    apps: fc.array(fc.integer({ min: 0, max: 900 }), { maxLength: 4 }),
    components: fc.subarray([...SPONSOR_COMPONENTS], { minLength: 1 }),
    rent: small,
    swap: small,
    most: fc.option(small, { nil: undefined }),
    inUsd: fc.constantFrom('1', '2.5', '0.0003'),
  })
  .map(({ gas, bps, floor, apps, components, rent, swap, most, inUsd }) => ({
    ...base,
    inUsd,
    relayerGas: gas.toString(),
    serviceBps: bps,
    serviceFloor: floor.toString(),
    appFees: apps.map((one) => ({ recipient: 'x', bps: one })),
    sponsor: {
      components,
      rent: rent.toString(),
      swap: swap.toString(),
      ...(most === undefined ? {} : { most: most.toString() }),
    },
  }));
const amounts = fc.bigInt({ min: 1n, max: 10n ** 12n });

describe('sponsored fees', () => {
  it('are added to what the others leave, exactly', () => {
    const sponsor = { components: ['execution', 'platform', 'app'], rent: '0', swap: '0' } as const;
    const priced = priceExactInput(1_000_000n, { ...base, sponsor });
    // All but the top-up: 40 of value and 7 of gas.
    expect(priced).toMatchObject({ ok: true, amounts: { amountOut: 999_953n, sponsored: 4_500n } });
    const [plain] = [priceExactInput(1_000_000n, base)];
    expect(plain.ok && plain.amounts.amountOut).toBe(995_453n);
  });

  it('add up with what the user pays, are at most the cap, and never raise the input or lower the output', () => {
    fc.assert(
      fc.property(drawn, amounts, (terms, amount) => {
        const [priced, plain] = [priceExactInput(amount, terms), priceExactInput(amount, withoutSponsor(terms))];
        if (!priced.ok) return !plain.ok;
        const { sponsored = 0n, relayerGas, relayerService, app } = priced.amounts;
        const parts = sponsoredParts(
          feesOf({ relayerGas, relayerService, app }, terms.sponsor, 7n),
          terms.sponsor?.components ?? [],
          sponsored,
        );
        expect(parts.reduce((sum, part) => sum + part.sponsored, 0n)).toBe(sponsored);
        for (const part of parts) {
          expect(part.sponsored <= part.total).toBe(true);
          if (!part.selected) expect(part.sponsored).toBe(0n);
        }
        const most = terms.sponsor?.most;
        expect(most === undefined || sponsored <= BigInt(most)).toBe(true);
        expect(!plain.ok || plain.amounts.amountOut <= priced.amounts.amountOut).toBe(true);
        const more = priceExactInput(amount + 1n, terms);
        expect(more.ok && more.amounts.amountOut >= priced.amounts.amountOut).toBe(true);
        return true;
      }),
    );
  });

  it('give an exact output for the smallest input', () => {
    fc.assert(
      fc.property(drawn, amounts, (terms, out) => {
        const priced = priceExactOutput(out, terms);
        if (!priced.ok) return;
        const { amountIn } = priced.amounts;
        expect(priced.amounts.amountOut).toBe(out);
        const plain = priceExactOutput(out, withoutSponsor(terms));
        expect(plain.ok && amountIn <= plain.amounts.amountIn).toBe(true);
        const less = priceExactInput(amountIn - 1n, terms);
        expect(less.ok && less.amounts.amountOut >= out).toBe(false);
      }),
    );
  });

  it('are worth no more at another price than when they were quoted', () => {
    const sponsor = { components: ['execution'], rent: '0', swap: '0', most: '1000' } as const;
    const terms = { ...base, sponsor };
    expect(sponsorAt(terms, '2')).toEqual({ sponsor: { ...sponsor, most: '500' } });
    expect(sponsorAt(terms, '0.5')).toEqual({ sponsor });
    expect(sponsorAt(base, '2')).toEqual({});
    expect(sponsoredBy(terms, 1_000_000n)).toEqual({ units: '1000', microUsd: '1000' });
  });

  it('leave the tolerance of the spread as it is, though they pay it', () => {
    const quoted = { ...base, topUp: undefined, serviceBps: 100, serviceFloor: '0', appFees: [] };
    const { topUp: _, ...terms } = quoted;
    const sponsor = { components: ['platform'], rent: '0', swap: '0', most: '10000' } as const;
    const promised = { covers: 1_000_000n, amountOut: 999_000n };
    const quote = { terms: { ...terms, sponsor }, spreadBps: 90, minimumAmount: '980000' };
    // Half a per cent against the service, within the spread of 0.9.
    expect(guardPrice(quote, promised, { inUsd: '1', outUsd: '1.005' })).toEqual({ ok: true, amountOut: 999_000n });
    const moved = guardPrice(quote, promised, { inUsd: '1', outUsd: '1.0095' });
    expect(moved.ok && moved.amountOut).toBe((999_000n * 10_000n) / 10_095n);
  });
});
