import {
  drawScenario,
  type RunResult,
  type SimulationProfile,
  type SimulationReport,
  simulate,
} from '@causeway/core/testing';
import { keptScenario, keptSeeds } from './kept.js';

export interface Stretch {
  readonly from: number;
  /** Seeds to play; more may be left out by `until`. */
  readonly seeds: number;
  /** Every how many-th seed is played. */
  readonly stride: number;
  readonly profile?: SimulationProfile;
  /** Asked before each seed. */
  readonly until: () => boolean;
  readonly done: (run: RunResult) => void;
}

/** Plays seeds one after the other. */
export async function runSeeds({ from, seeds, stride, profile = {}, until, done }: Stretch): Promise<void> {
  for (let n = 0; n < seeds && !until(); n += 1) done(await simulate(drawScenario(from + n * stride, profile)));
}

/** Plays what is kept; comes before everything else. */
export async function runKept(report: SimulationReport): Promise<void> {
  for (const { seed } of keptSeeds()) report.add(await simulate(keptScenario(seed)), 'kept');
}
