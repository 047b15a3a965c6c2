import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { PayerCoin } from '../src/payer/payer-coins.js';
import { type CoinWish, selectCoins } from '../src/payer/select-coins.js';

const script = new Uint8Array(22);
const coin = (value: bigint, n: number): PayerCoin => ({
  ...{ txid: n.toString(16).padStart(64, '0'), vout: 0, value, confirmed: true },
});
const sum = (coins: readonly PayerCoin[]): bigint => coins.reduce((total, { value }) => total + value, 0n);

describe('outputs chosen for a deposit', () => {
  const wishes = fc.record({
    type: fc.constantFrom<CoinWish['type']>('p2pkh', 'p2sh', 'p2wpkh', 'p2tr'),
    amount: fc.bigInt(1n, 10n ** 7n),
    rate: fc.bigInt(1_000n, 500_000n),
    most: fc.integer({ min: 1, max: 20 }),
  });
  const complete = (wish: typeof wishes extends fc.Arbitrary<infer W> ? W : never): CoinWish => ({
    ...{ ...wish, outputs: [script, new Uint8Array(68)], change: script, dust: 294n },
  });

  it('pay exactly the amount, the fee and the change, with no more outputs than allowed', () => {
    fc.assert(
      fc.property(wishes, fc.array(fc.bigInt(1n, 10n ** 7n), { maxLength: 60 }), (some, values) => {
        const wish = complete(some);
        const coins = values.map(coin);
        const found = selectCoins(wish, coins);
        if (!found.ok) {
          if (found.why === 'many') expect(coins.length).toBeGreaterThan(wish.most);
          // Only outputs worth more than their spending cost can suffice.
          const worth = coins.filter(({ value }) => value * 1_000n > 160n * wish.rate);
          const most = wish.amount + (BigInt(200 + 160 * worth.length) * wish.rate) / 1_000n;
          if (found.why === 'short') expect(sum(worth)).toBeLessThan(most);
          return;
        }
        expect(found.coins.length).toBeLessThanOrEqual(wish.most);
        expect(new Set(found.coins).size).toBe(found.coins.length);
        const fee = sum(found.coins) - wish.amount - found.change;
        const size = BigInt(10 + 41 * found.coins.length + 31 + 77);
        expect(fee * 1_000n).toBeGreaterThanOrEqual(size * wish.rate);
        expect(found.change === 0n || found.change >= wish.dust).toBe(true);
      }),
    );
  });

  it('are the smallest one that does, where one does', () => {
    const wish = complete({ type: 'p2wpkh', amount: 50_000n, rate: 1_000n, most: 100 });
    const found = selectCoins(wish, [1_000n, 60_000n, 900_000n, 50_100n, 70_000n].map(coin));
    expect(found).toMatchObject({ ok: true, coins: [{ value: 60_000n }] });
  });

  it('are found among more than any wallet has, without going through all of their combinations', () => {
    const wish = complete({ type: 'p2wpkh', amount: 1_000_000n, rate: 1_000n, most: 100 });
    const dust = Array.from({ length: 200_000 }, (_, n) => coin(600n, n));
    expect(selectCoins(wish, dust)).toEqual({ ok: false, why: 'many' });
    expect(selectCoins(wish, [...dust, coin(2_000_000n, 300_000)])).toMatchObject({ ok: true, change: 999_782n });
  });
});
