import { describe, expect, it } from 'vitest';
import { systemRandom } from '../../src/host/system-random.js';

describe('randomness', () => {
  it('never hands out the same bytes twice, across refills of its pool', () => {
    const seen = new Set(Array.from({ length: 5_000 }, () => systemRandom.hex(32)));
    expect(seen.size).toBe(5_000);
    for (const text of seen) expect(text).toMatch(/^0x[0-9a-f]{64}$/);
  });

  it('draws any length, and what was drawn stays the caller’s', () => {
    for (const length of [0, 1, 31, 1024, 1025, 10_000]) expect(systemRandom.bytes(length)).toHaveLength(length);
    const first = systemRandom.bytes(16);
    const copy = Uint8Array.from(first);
    for (let n = 0; n < 1_000; n += 1) systemRandom.bytes(16);
    expect(first).toEqual(copy);
    expect(first.some((byte) => byte !== 0)).toBe(true);
  });
});
