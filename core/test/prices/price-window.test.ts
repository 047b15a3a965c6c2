import { expect, it } from 'vitest';
import type { Currency } from '../../src/contract/currency.js';
import { PriceWindow } from '../../src/prices/price-window.js';

const currency = (address: string): Currency =>
  ({ chainId: 1, address, symbol: address, name: address, decimals: 6, group: address, isNative: false }) as Currency;
const [GOLD, USD, LOST] = [currency('gold'), currency('usd'), currency('lost')];
const chains = [{ currencies: () => [GOLD, USD, LOST] }];

function windowOf(ms: number) {
  const now: Record<string, string | undefined> = { gold: '2000', usd: '1' };
  const window = new PriceWindow(ms, {
    price: ({ address }) => {
      const usd = now[address];
      return usd === undefined ? { ok: false, why: 'stale' } : { ok: true, usd, at: 0 };
    },
  });
  return {
    window,
    report: (gold: string | undefined, at: number) => {
      now['gold'] = gold;
      window.look(chains, at);
    },
  };
}

it('reports how far a pair was from itself, either way, rounded up', () => {
  const { window, report } = windowOf(60_000);
  expect(window.rangeBps(GOLD, USD)).toBe(0);
  report('2000', 0);
  expect(window.rangeBps(GOLD, USD)).toBe(0);
  report('2020', 1_000);
  expect([window.rangeBps(GOLD, USD), window.rangeBps(USD, GOLD)]).toEqual([100, 100]);
  report('2000.1', 2_000);
  report('1990', 3_000);
  expect(window.rangeBps(GOLD, USD)).toBe(151);
});

it('returns nothing for a time without a price, nor of a pair that never had one', () => {
  const { window, report } = windowOf(60_000);
  report('2000', 0);
  report(undefined, 1_000);
  report('2002', 2_000);
  expect(window.rangeBps(GOLD, USD)).toBe(10);
  expect(window.rangeBps(LOST, USD)).toBe(0);
});

it('forgets what is older than the window, and never keeps more than it needs', () => {
  const { window, report } = windowOf(60_000);
  report('4000', 0);
  for (let at = 1; at <= 200; at += 1) report('2000', at * 300);
  expect(window.rangeBps(GOLD, USD)).toBe(0);
  expect(window.everyMs).toBe(1_000);
});
