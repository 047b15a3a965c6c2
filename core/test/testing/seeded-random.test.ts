import { describe, expect, it } from 'vitest';
import { SeededRandom } from '../../src/testing/seeded-random.js';

const draws = (random: SeededRandom, count = 8) => Array.from({ length: count }, () => random.next());

describe('seeded randomness', () => {
  it('is decided by the seed', () => {
    expect(draws(new SeededRandom('a'))).toEqual(draws(new SeededRandom('a')));
    expect(draws(new SeededRandom('a'))).not.toEqual(draws(new SeededRandom('b')));
    expect(draws(new SeededRandom(1))).not.toEqual(draws(new SeededRandom(2)));
  });

  it('gives a fork by name, whatever was drawn before and whatever else forks', () => {
    const plain = new SeededRandom('seed').fork('fees');
    const busy = new SeededRandom('seed');
    draws(busy, 100);
    busy.fork('another');
    expect(draws(busy.fork('fees'))).toEqual(draws(plain));
    expect(draws(busy.fork('fees'))).not.toEqual(draws(busy.fork('users')));
  });

  it('gives bytes and hex digits of the length asked for, spread over all values', () => {
    const random = new SeededRandom('bytes');
    for (const length of [0, 1, 3, 4, 5, 32]) {
      expect(random.bytes(length)).toHaveLength(length);
      expect(random.hex(length)).toMatch(new RegExp(`^0x[0-9a-f]{${length * 2}}$`));
    }
    expect(new Set(random.bytes(20_000)).size).toBe(256);
  });

  it('is even enough to schedule by', () => {
    const random = new SeededRandom('even');
    const buckets = new Array<number>(16).fill(0);
    for (let n = 0; n < 16_000; n += 1) {
      const at = random.between(0, 15);
      buckets[at] = (buckets[at] ?? 0) + 1;
    }
    for (const count of buckets) expect(count).toBeGreaterThan(850);
    const first = new Set(Array.from({ length: 500 }, (_, n) => new SeededRandom(n).next()));
    expect(first.size).toBe(500);
  });

  it('shuffles without losing anything', () => {
    const items = Array.from({ length: 50 }, (_, n) => n);
    const shuffled = new SeededRandom('shuffle').shuffled(items);
    expect(shuffled).not.toEqual(items);
    expect([...shuffled].sort((a, b) => a - b)).toEqual(items);
  });
});
