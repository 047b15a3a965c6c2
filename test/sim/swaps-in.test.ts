import { drawScenario, type SimulationProfile, simulate } from '@causeway/core/testing';
import { expect, it } from 'vitest';
import { AT_NIGHT } from '../support/at-night.js';
import { replayCommand } from './options.js';

const RUNS = AT_NIGHT ? 60 : 6;

/** Every promise of the simulation holds, and deposits are swapped, and swapped back. */
async function play(profile: SimulationProfile): Promise<void> {
  let [swapped, back] = [0, 0];
  const found: string[] = [];
  for (let seed = 1; seed <= RUNS; seed += 1) {
    const { users, violations } = await simulate(drawScenario(seed, profile));
    swapped += users['swapping in'] ?? 0;
    back += users['swapped back'] ?? 0;
    for (const { rule, message } of violations)
      found.push(`${replayCommand(seed, 'drawn', profile)}: ${rule}: ${message}`);
  }
  expect(found).toEqual([]);
  expect(swapped).toBeGreaterThanOrEqual(RUNS);
  expect(back).toBeGreaterThanOrEqual(1);
}

const ON: SimulationProfile = {
  ...{ pools: true, swapsIn: true, profiles: ['nonce'] },
  users: ['refundWanted', 'payingTwice', 'rejectingRecipient', 'rejectingRefund'],
};

it('who pays by a swap is served or gets back what it paid, and no one ends richer', async () => {
  await play({ ...ON, faults: [], attacks: ['poolMoving'] });
}, 240_000);

it('and so it is among reorgs, crashes and lost replies', async () => {
  await play(ON);
}, 240_000);
