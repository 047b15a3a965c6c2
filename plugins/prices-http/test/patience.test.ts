import { describe, expect, it } from 'vitest';
import { jittered, pauseAfter } from '../src/patience.js';

const PATIENCE = {
  backoff: { firstMs: 1_000, maxMs: 6_000 },
  breaker: { failures: 5, openMs: 60_000, maxOpenMs: 150_000 },
};

describe('the pause after failures', () => {
  it('doubles up to its bound, then the circuit opens, for twice as long each time', () => {
    const pauses = Array.from({ length: 8 }, (_, n) => pauseAfter(n + 1, PATIENCE));
    expect(pauses.map(({ ms }) => ms)).toEqual([1_000, 2_000, 4_000, 6_000, 60_000, 120_000, 150_000, 150_000]);
    expect(pauses.map(({ open }) => open)).toEqual([false, false, false, false, true, true, true, true]);
    expect(pauseAfter(5_000, PATIENCE).ms).toBe(150_000);
  });

  it('is as long as the provider asks for, within reason', () => {
    expect(pauseAfter(1, PATIENCE, 30_000).ms).toBe(30_000);
    expect(pauseAfter(1, PATIENCE, 10).ms).toBe(1_000);
    expect(pauseAfter(1, PATIENCE, 1e12).ms).toBe(150_000);
  });

  it('is drawn from both sides of its length', () => {
    expect([0, 0.5, 0.999_999].map((fraction) => jittered(1_000, 0.1, fraction))).toEqual([900, 1_000, 1_100]);
    expect(jittered(0, 0.1, 0)).toBe(1);
  });
});
