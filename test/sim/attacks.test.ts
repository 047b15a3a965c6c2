import { ATTACK_KINDS, type AttackKind, drawScenario, simulate } from '@causeway/core/testing';
import { describe, expect, it } from 'vitest';

/** Runs of each kind of attack in which nothing else goes wrong, so that who ended richer is told to the unit. */
const RUNS = 12;
/** Chains on which each kind finds what it needs; any where it is not named. */
const ON: Partial<Record<AttackKind, 'nonce' | 'expiring' | 'utxo'>> = {
  accountGivenAway: 'expiring',
  accountCycling: 'expiring',
  gasBurning: 'nonce',
  refundBurning: 'nonce',
};

describe('nobody gains, and nobody else waits, by', () => {
  for (const kind of ATTACK_KINDS) {
    it(kind, async () => {
      let attempts = 0;
      const found: string[] = [];
      for (let seed = 1; seed <= RUNS; seed += 1) {
        const on = ON[kind];
        const profiles = on === undefined ? {} : { profiles: [on] };
        const run = await simulate(drawScenario(seed, { attacks: [kind], faults: [], ...profiles }));
        attempts += run.attacks[kind] ?? 0;
        for (const { rule, message } of run.violations) found.push(`seed ${seed}: ${rule}: ${message}`);
      }
      expect(found).toEqual([]);
      expect(attempts).toBeGreaterThanOrEqual(RUNS);
    }, 240_000);
  }
});
