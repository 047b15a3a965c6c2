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
  readonly seeds: number;
  readonly stride: number;
  readonly profile?: SimulationProfile;
  readonly until: () => boolean;
  readonly done: (run: RunResult) => void;
}

export async function runSeeds({ from, seeds, stride, profile = {}, until, done }: Stretch): Promise<void> {
  for (let n = 0; n < seeds && !until(); n += 1) done(await simulate(drawScenario(from + n * stride, profile)));
}

export async function runKept(report: SimulationReport): Promise<void> {
  for (const { seed } of keptSeeds()) report.add(await simulate(keptScenario(seed)), 'kept');
}
