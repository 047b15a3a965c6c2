import { drawScenario, simulate, without } from '@causeway/core/testing';
import { describe, expect, it } from 'vitest';

describe('a seed', () => {
  it.each([1, 2, 3])('gives the same run byte for byte: %i', async (seed) => {
    const first = await simulate(drawScenario(seed), { trace: true });
    const second = await simulate(drawScenario(seed), { trace: true });
    expect(first.trace.length).toBeGreaterThan(300);
    expect(second.trace.join('\n')).toBe(first.trace.join('\n'));
    expect(second.digest).toBe(first.digest);
  });

  it('gives another run than its neighbour', async () => {
    const runs = await Promise.all([simulate(drawScenario(1)), simulate(drawScenario(2))]);
    expect(runs[0]?.digest).not.toBe(runs[1]?.digest);
  });

  it('has at least 20 users and 2 chains, and 3 kinds of fault but where attackers are alone', () => {
    for (let seed = 1; seed <= 200; seed += 1) {
      const { users, chains, faults, attacks = [] } = drawScenario(seed);
      expect(users.length).toBeGreaterThanOrEqual(20);
      expect(chains.length).toBeGreaterThanOrEqual(2);
      if (faults.length > 0) expect(new Set(faults.map(({ kind }) => kind)).size).toBeGreaterThanOrEqual(3);
      else expect(attacks.length).toBeGreaterThanOrEqual(3);
    }
  });

  it('can be played with some of it left out, and what is left draws the same', () => {
    const whole = drawScenario(7);
    const part = without(whole, { users: new Set([0]), faults: new Set([1]) });
    expect(part.users).toEqual(whole.users.slice(1));
    expect(part.faults).toEqual(whole.faults.filter(({ id }) => id !== 1));
  });
});
