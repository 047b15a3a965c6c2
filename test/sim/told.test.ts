import { drawScenario, type SimulationProfile, simulate } from '@causeway/core/testing';
import { expect, it } from 'vitest';
import { AT_NIGHT } from '../support/at-night.js';
import { replayCommand } from './options.js';

const RUNS = AT_NIGHT ? 60 : 4;

/** Seeds of one kind of run: every promise of the simulation holds, and receivers are told, more than once where answers are lost. */
async function play(profile: SimulationProfile): Promise<void> {
  const sights = new Map<string, number>();
  const found: string[] = [];
  for (let seed = 1; seed <= RUNS; seed += 1) {
    const { sights: seen, violations } = await simulate(drawScenario(seed, profile));
    for (const [sight, times] of Object.entries(seen)) sights.set(sight, (sights.get(sight) ?? 0) + times);
    for (const { rule, message } of violations)
      found.push(`${replayCommand(seed, 'drawn', profile)}: ${rule}: ${message}`);
  }
  expect(found).toEqual([]);
  for (const sight of ['told', 'told again', 'told by registration', 'told unheard'])
    expect([sight, sights.get(sight) ?? 0]).toEqual([sight, expect.toSatisfy((times: number) => times >= RUNS)]);
}

const ON: SimulationProfile = { endpoints: true, users: ['honest', 'refundWanted', 'payingTwice', 'late'] };

it('receivers that fail in every way are told everything, in order', async () => {
  await play({ ...ON, faults: [] });
}, 240_000);

it('and so they are among crashes, twins, lost commits and databases that are put back', async () => {
  await play({
    ...ON,
    faults: [
      'crash',
      'restart',
      'twins',
      'pause',
      'wallJump',
      'commitLost',
      'commitUnheard',
      'readFails',
      'restoredDatabase',
    ],
  });
}, 240_000);
