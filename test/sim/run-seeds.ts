import {
  drawScenario,
  type RunResult,
  type SimulationProfile,
  type SimulationReport,
  simulate,
} from '@causeway/core/testing';

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

/** Seeds that once failed, or that show something rare; played before all others. */
export async function runKept(kept: readonly { readonly seed: number }[], report: SimulationReport): Promise<void> {
  for (const { seed } of kept) report.add(await simulate(drawScenario(seed)));
}
