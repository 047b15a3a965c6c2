import { ATTACK_KINDS, type AttackKind, drawScenario, simulate } from '@causeway/core/testing';
import { describe, expect, it } from 'vitest';
import { AT_NIGHT } from '../support/at-night.js';
import { replayCommand } from './options.js';

/** Runs per kind of attack without other faults, so that gains and losses are checked to the unit. */
const RUNS = AT_NIGHT ? 12 : 2;
const ON: Record<AttackKind, 'any' | 'nonce' | 'expiring' | 'utxo'> = {
  frontRunning: 'any',
  dustSpam: 'any',
  madeUpToken: 'any',
  riddling: 'any',
  accountGivenAway: 'expiring',
  accountCycling: 'expiring',
  gasBurning: 'nonce',
  refundBurning: 'nonce',
  strayPaying: 'any',
  depegTrading: 'any',
  bestOfMany: 'any',
  lateAtHighGas: 'any',
  refundCircles: 'any',
  limitExhausting: 'any',
  jointPaying: 'any',
  poolMoving: 'nonce',
  topUpCircles: 'any',
  shareSpoiling: 'nonce',
  foreignExecuting: 'nonce',
  firmOption: 'any',
  swapSpoiling: 'nonce',
  foreignSwapping: 'nonce',
  swapReplaying: 'nonce',
};

describe('no one gains, and no one else waits, by', () => {
  for (const kind of ATTACK_KINDS) {
    it(kind, async () => {
      let attempts = 0;
      const found: string[] = [];
      for (let seed = 1; seed <= RUNS; seed += 1) {
        const on = ON[kind];
        const profiles = on === 'any' ? {} : { profiles: [on] };
        const profile = { attacks: [kind], faults: [], ...profiles };
        const run = await simulate(drawScenario(seed, profile));
        attempts += run.attacks[kind] ?? 0;
        for (const { rule, message } of run.violations)
          found.push(`${replayCommand(seed, 'drawn', profile)}: ${rule}: ${message}`);
      }
      expect(found).toEqual([]);
      expect(attempts).toBeGreaterThanOrEqual(RUNS);
    }, 240_000);
  }
});
