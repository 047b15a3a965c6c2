import { beforeEach, describe, expect, it } from 'vitest';
import type { Currency } from '../../src/contract/currency.js';
import type { Alerts } from '../../src/contract/observability.js';
import { assertNoCircle, PriceBoard, type PriceRules, readPrice } from '../../src/prices/index.js';
import { SeededRandom } from '../../src/testing/seeded-random.js';
import { SimClock } from '../../src/testing/sim-clock.js';

const RULES: PriceRules = { minProviders: 2, outlierBps: 200n, jumpBps: 1000n, jumpQuorum: 3, jumpHoldMs: 30_000 };
const FRESH_MS = 10_000;

function currency(group: string, address = '0xAb', symbol = 'COIN'): Currency {
  return { chainId: 1, address, symbol, name: symbol, decimals: 18, isNative: false, group, verified: true };
}

let clock: SimClock;
let raised: Map<string, string>;

beforeEach(() => {
  clock = new SimClock(new SeededRandom('board'));
  raised = new Map();
});

function board(rules: Partial<PriceRules> = {}, names: readonly string[] = ['coin', 'dollar']) {
  const alerts: Alerts = {
    raise: (id, message) => void raised.set(id, message),
    clear: (id) => void raised.delete(id),
    list: () => [],
  };
  const metrics = { count: () => undefined, gauge: () => undefined, observe: () => undefined };
  const made = new PriceBoard(
    names.map((name) => ({ name, rules: { ...RULES, ...rules } })),
    { clock, metrics, alerts },
  );
  const source = made.source('test');
  const say = (provider: string, usd: string, more: { asset?: string; in?: string; at?: number; ms?: number } = {}) =>
    made.record(more.asset ?? 'coin', provider, {
      price: readPrice(usd) as bigint,
      at: more.at ?? clock.now(),
      freshUntil: clock.now() + (more.ms ?? FRESH_MS),
      ...(more.in === undefined ? {} : { in: more.in }),
    });
  return { made, source, say, usd: (of = currency('coin')) => plain(source.price(of)) };
}

function plain(price: ReturnType<ReturnType<PriceBoard['source']>['price']>): string | undefined {
  return typeof price === 'object' ? price.usd : price;
}

describe('the board of prices', () => {
  it('has no price before enough providers spoke, and their median then', () => {
    const { say, usd } = board();
    expect(usd()).toBe('stale');
    say('a', '100');
    expect(usd()).toBe('stale');
    say('b', '101');
    expect(usd()).toBe('100.5');
    say('c', '100.1');
    expect(usd()).toBe('100.1');
    expect(usd(currency('other'))).toBeUndefined();
  });

  it('finds a currency by chain and address before its group, in any case, and never by its symbol', () => {
    const { say, usd } = board({ minProviders: 1 }, ['COIN', '1:0xaB']);
    say('a', '7', { asset: 'COIN' });
    say('a', '8', { asset: '1:0xaB' });
    expect(usd(currency('coin', '0xAB'))).toBe('8');
    expect(usd(currency('coin', '0xcd'))).toBe('7');
    expect(usd(currency('stranger', '0xcd', 'COIN'))).toBeUndefined();
  });

  it('is as old as the oldest word it rests on, and never of the future', () => {
    const { say, source } = board();
    const now = clock.now();
    say('a', '100', { at: now - 4000 });
    say('b', '100', { at: now + 99_999 });
    expect(source.price(currency('coin'))).toEqual({ usd: '100', at: now - 4000 });
    say('a', '100', { at: now + 5 });
    expect(source.price(currency('coin'))).toEqual({ usd: '100', at: now });
  });

  it('grows stale to the millisecond, and falls back on the words that are left, each time', async () => {
    const { say, usd } = board();
    for (let round = 0; round < 2; round += 1) {
      say('a', '100', { ms: 1000 });
      say('b', '101', { ms: 5000 });
      say('c', '101.5', { ms: 5000 });
      expect(usd()).toBe('101');
      await clock.advance(1000);
      expect(usd()).toBe('101');
      await clock.advance(1);
      expect(usd()).toBe('101.25');
      await clock.advance(3999);
      expect(usd()).toBe('101.25');
      await clock.advance(1);
      expect(usd()).toBe('stale');
    }
  });

  it('is made no younger by a wall clock that goes back, and older by one that goes on', async () => {
    const { say, usd } = board({ minProviders: 1 });
    say('a', '100');
    clock.jump(-3_600_000);
    await clock.advance(FRESH_MS);
    expect(usd()).toBe('100');
    await clock.advance(1);
    expect(usd()).toBe('stale');
    say('a', '100');
    clock.jump(FRESH_MS + 1);
    expect(usd()).toBe('stale');
  });

  it('drops who is far from the others and says so until he is back', () => {
    const { say, usd } = board();
    say('a', '100');
    say('b', '100');
    say('c', '150');
    expect(usd()).toBe('100');
    expect(raised.get('outlier-coin-c')).toContain('150 USD');
    say('c', '101');
    expect(raised.has('outlier-coin-c')).toBe(false);
  });

  it('bridges no doubt with an older price', () => {
    const { say, usd } = board();
    say('a', '100');
    say('b', '100');
    expect(usd()).toBe('100');
    say('b', '50');
    expect(usd()).toBe('stale');
    say('b', '100.5');
    expect(usd()).toBe('100.25');
  });

  it('waits with a jump until the quorum confirms it', () => {
    const { say, usd } = board();
    for (const provider of ['a', 'b', 'c']) say(provider, '100');
    say('a', '150');
    expect(usd()).toBe('100');
    say('b', '150');
    expect(usd()).toBe('stale');
    expect(raised.get('jump-coin')).toContain('from 100 to 150 USD, reported by 2 of 3');
    say('c', '150');
    expect(usd()).toBe('150');
    expect(raised.has('jump-coin')).toBe(false);
  });

  it('believes a jump that lasted, with fewer providers than the quorum', async () => {
    const { say, usd } = board({ minProviders: 1 });
    say('a', '100');
    for (let waited = 0; waited < RULES.jumpHoldMs; waited += 5000) {
      say('a', '150');
      expect(usd()).toBe('stale');
      await clock.advance(5000);
    }
    say('a', '150');
    expect(usd()).toBe('150');
  });

  it('prices what is reported in another asset, while that one has a price', async () => {
    const { say, usd } = board({ minProviders: 1 });
    say('a', '3000.1', { in: 'dollar' });
    expect(usd()).toBe('stale');
    say('a', '0.9997', { asset: 'dollar', ms: 2000 });
    say('a', '3000.1', { in: 'dollar' });
    expect(usd()).toBe('2999.19997');
    await clock.advance(2001);
    expect(usd()).toBe('stale');
  });

  it('reports in reviews what has no price and why', async () => {
    const { made, say } = board();
    say('a', '1', { asset: 'dollar' });
    say('b', '1', { asset: 'dollar' });
    made.review();
    expect([...raised]).toEqual([['price-coin', 'coin has no fresh price: 0 of at least 2 providers agree']]);
    say('a', '100');
    say('b', '101');
    made.review();
    expect([...raised]).toEqual([]);
    await clock.advance(FRESH_MS + 1);
    made.review();
    expect([...raised.keys()]).toEqual(['price-coin', 'price-dollar']);
  });
});

describe('prices that are reported in other assets', () => {
  it('must not go in a circle', () => {
    const links = (text: Record<string, string[]>) => new Map(Object.entries(text));
    expect(() => assertNoCircle(links({ a: ['b', 'c'], b: ['c'], c: [] }))).not.toThrow();
    expect(() => assertNoCircle(links({ a: ['b'], b: ['c'], c: ['a'] }))).toThrow('a in b in c in a');
    expect(() => assertNoCircle(links({ a: ['a'] }))).toThrow('a in a');
  });
});
