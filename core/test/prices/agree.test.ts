import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { agree, median } from '../../src/prices/agree.js';

const said = (...prices: readonly bigint[]) => prices.map((price, n) => ({ provider: `p${n}`, price }));
const names = (reported: readonly { readonly provider: string }[]) => reported.map(({ provider }) => provider);

describe('the median', () => {
  it.each([
    [[5n], 5n],
    [[3n, 1n, 2n], 2n],
    [[1n, 2n], 2n],
    [[4n, 2n, 100n, 2n], 3n],
    [[], undefined],
  ])('of %s is %s', (prices, expected) => expect(median(prices)).toBe(expected));
});

describe('providers that agree', () => {
  it('make the median of those near it, and the far one is dropped', () => {
    const { price, used, dropped } = agree(said(1000n, 1010n, 5000n), 2, 200n);
    expect(price).toBe(1005n);
    expect([names(used), names(dropped)]).toEqual([['p0', 'p1'], ['p2']]);
  });

  it('may be exactly as far away as allowed, and no further', () => {
    expect(agree(said(1000n, 1000n, 1020n), 3, 200n).price).toBe(1000n);
    expect(agree(said(1000n, 1000n, 1021n), 3, 200n).price).toBeUndefined();
    expect(agree(said(1000n, 1000n, 980n), 3, 200n).price).toBe(1000n);
    expect(agree(said(1000n, 1000n, 979n), 3, 200n).price).toBeUndefined();
  });

  it('must be enough', () => {
    expect(agree(said(1000n), 1, 200n).price).toBe(1000n);
    expect(agree(said(1000n), 2, 200n).price).toBeUndefined();
    expect(agree([], 1, 200n).price).toBeUndefined();
  });

  it('make no price in two camps of the same size', () => {
    const { price, dropped } = agree(said(1000n, 1000n, 3000n, 3000n), 2, 200n);
    expect(price).toBeUndefined();
    expect(dropped).toHaveLength(4);
    expect(agree(said(1000n, 3000n), 1, 200n).price).toBeUndefined();
  });

  it('cannot be moved out of the range of the honest by a minority that says anything', () => {
    const honest = fc.array(fc.bigInt({ min: 990n, max: 1010n }), { minLength: 2, maxLength: 5 });
    const any = fc.array(fc.bigInt({ min: 1n, max: 10n ** 30n }), { maxLength: 4 });
    fc.assert(
      fc.property(honest, any, (good, bad) => {
        const liars = bad.slice(0, good.length - 1);
        const { price } = agree(said(...liars, ...good), 2, 200n);
        expect(price === undefined || (price >= 970n && price <= 1032n)).toBe(true);
      }),
    );
  });
});
