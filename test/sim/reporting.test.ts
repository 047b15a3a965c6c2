import { drawScenario, type SimulationProfile, simulate } from '@causeway/core/testing';
import { expect, it } from 'vitest';
import { AT_NIGHT } from '../support/at-night.js';
import { replayCommand } from './options.js';

const RUNS = AT_NIGHT ? 60 : 8;

/** Every promise of the simulation holds, and receivers get events, repeatedly where responses are lost. */
async function play(profile: SimulationProfile): Promise<void> {
  const sights = new Map<string, number>();
  const found: string[] = [];
  for (let seed = 1; seed <= RUNS; seed += 1) {
    const { sights: seen, violations } = await simulate(drawScenario(seed, profile));
    for (const [sight, times] of Object.entries(seen)) sights.set(sight, (sights.get(sight) ?? 0) + times);
    for (const { rule, message } of violations)
      found.push(`${replayCommand(seed, 'drawn', profile)}: ${rule}: ${message}`);
    if (found.length > 0) break;
  }
  expect(found).toEqual([]);
  const met = [
    'event received',
    'event again',
    'event to a registered endpoint',
    'event accepted without reply',
  ].filter((sight) => sights.has(sight));
  expect(met).toHaveLength(4);
}

const ON: SimulationProfile = { endpoints: true };

it('receivers that fail in every way are sent everything, in order', async () => {
  await play({ ...ON, faults: [] });
}, 240_000);

it('and so they are while the database cannot be relied on', async () => {
  await play({ ...ON, faults: ['commitLost', 'commitUnheard', 'readFails', 'storeSlow'] });
}, 240_000);

it('and so they are among crashes, twins, and databases that are restored', async () => {
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
