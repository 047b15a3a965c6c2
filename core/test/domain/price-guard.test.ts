import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { priceExactInput } from '../../src/domain/fees.js';
import { guardPrice } from '../../src/domain/price-guard.js';
import { spreadBps } from '../../src/domain/spread.js';
import { quoteBody } from '../engine/support/quotes.js';

/** Ether at 3000 to dollars: 1 ether in, 40 bps fee with 30 for the price, minimum 1 % below the quote. */
const TERMS = {
  inDecimals: 18,
  outDecimals: 6,
  inUsd: '3000',
  outUsd: '1',
  relayerGas: '0',
  serviceBps: 40,
  serviceFloor: '0',
  appFees: [],
};
const COVERS = 10n ** 18n;
const QUOTED = 2_988_000_000n;
const QUOTE = { ...quoteBody(1), terms: TERMS, spreadBps: 30, minimumAmount: '2958120000' };
const PROMISED = { covers: COVERS, amountOut: QUOTED };
const at = (inUsd: string) => guardPrice(QUOTE, PROMISED, { inUsd, outUsd: '1' });

describe('a promised fill', () => {
  it('is what the fee function promised', () => {
    const priced = priceExactInput(COVERS, TERMS);
    expect(priced.ok && priced.amounts.amountOut).toBe(QUOTED);
  });

  it('is kept to the unit while the price moved within its spread, or for the better', () => {
    for (const price of ['3000', '2999', '2991.1', '3300']) expect(at(price)).toEqual({ ok: true, amountOut: QUOTED });
  });

  it('is priced again beyond, and paid to no less than the least that counts', () => {
    expect(at('2980')).toEqual({ ok: true, amountOut: 2_968_080_000n });
    expect(at('2970')).toEqual({ ok: true, amountOut: 2_958_120_000n });
    expect(at('2969')).toEqual({ ok: false });
    expect(at('2700')).toEqual({ ok: false });
  });

  it('of one asset is not disturbed by prices that differ briefly', () => {
    const same = { ...QUOTE, spreadBps: 0, terms: { ...TERMS, inDecimals: 6, inUsd: '1', outUsd: '1' } };
    const promised = { covers: 1_000_000n, amountOut: 996_000n };
    expect(guardPrice(same, promised, { inUsd: '0.9995', outUsd: '1' })).toEqual({ ok: true, amountOut: 996_000n });
    expect(guardPrice({ ...same, minimumAmount: '980000' }, promised, { inUsd: '0.99', outUsd: '1' })).toEqual({
      ok: true,
      amountOut: 986_040n,
    });
    expect(guardPrice({ ...same, minimumAmount: '980000' }, promised, { inUsd: '0.6', outUsd: '1' }).ok).toBe(false);
  });

  it('never pays more than was promised, nor more than is left of its value', () => {
    fc.assert(
      fc.property(fc.integer({ min: 100_000, max: 600_000 }), (cents) => {
        const usd = (cents / 100).toFixed(2);
        const kept = at(usd);
        if (!kept.ok) return;
        expect(kept.amountOut <= QUOTED).toBe(true);
        // One ether at present, micro-dollars, less the fees besides the spread.
        const worth = (BigInt(cents) * 10_000n * 9_990n) / 10_000n;
        expect(kept.amountOut <= worth).toBe(true);
      }),
    );
  });
});

describe('the spread of a pair', () => {
  const policy = {
    classes: [
      { groups: ['usd-coin', 'tether'], bps: 3, perRootMinuteBps: 1 },
      { bps: 10, perRootMinuteBps: 6 },
    ],
  };

  it('is that of the more volatile asset, and grows with the root of time', () => {
    expect(spreadBps(policy, ['usd-coin', 'usd-coin'], 600_000)).toBe(0);
    expect(spreadBps(policy, ['usd-coin', 'tether'], 0)).toBe(3);
    expect(spreadBps(policy, ['usd-coin', 'tether'], 60_000)).toBe(4);
    expect(spreadBps(policy, ['usd-coin', 'ether'], 60_000)).toBe(16);
    expect(spreadBps(policy, ['ether', 'usd-coin'], 4 * 60_000)).toBe(22);
    expect(spreadBps(policy, ['ether', 'bitcoin'], 0)).toBe(10);
  });
});

it('two assets whose prices read the same are guarded like any others, however quotes of earlier versions wrote them', () => {
  for (const outUsd of ['3000', '3000.0']) {
    const quote = { ...QUOTE, terms: { ...TERMS, outUsd }, minimumAmount: '986040' };
    const promised = { covers: COVERS, amountOut: 996_000n };
    const now = (inUsd: string) => guardPrice(quote, promised, { inUsd, outUsd: '3000' });
    expect(now('3000')).toEqual({ ok: true, amountOut: 996_000n });
    expect(now('2991.1')).toEqual({ ok: true, amountOut: 996_000n });
    expect(now('2980')).toEqual({ ok: true, amountOut: 989_360n });
    expect(now('2700')).toEqual({ ok: false });
  }
});
