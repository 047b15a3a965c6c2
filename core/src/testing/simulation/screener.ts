import type { Party, Screener } from '../../contract/screening.js';
import { fakeAddress } from '../fake-chain/cheap-hash.js';
import type { SeededRandom } from '../seeded-random.js';
import type { SimClock } from '../sim-clock.js';
import type { ScreeningPlan } from './scenario.js';

const HANGS_MS = 30_000;

/** A screener shared by all processes; an outage fails, hangs or answers nonsense. */
export class SimulatedScreener {
  isAway = false;
  readonly #clock: SimClock;
  readonly #random: SeededRandom;
  readonly #plan: ScreeningPlan;

  constructor(plan: ScreeningPlan, clock: SimClock, random: SeededRandom) {
    this.#plan = plan;
    this.#clock = clock;
    this.#random = random;
  }

  /** Start of a block on any chain, virtual milliseconds; undefined if not yet blocked. */
  since(address: string): number | undefined {
    const now = this.#clock.monotonic();
    const times = this.#plan.blocks.filter(({ user, account }) => accountOf(user, account) === address);
    const began = times.map(({ at }) => at).filter((at) => at <= now);
    return began.length === 0 ? undefined : Math.min(...began);
  }

  port(): Screener {
    return {
      id: 'screener',
      screen: async (parties: readonly Party[]) => {
        await this.#clock.sleep(this.#random.between(1, 40));
        const verdicts = parties.map(({ address }) =>
          this.since(address) === undefined ? { blocked: false as const } : { blocked: true as const, reason: 'drawn' },
        );
        if (!this.isAway) return verdicts;
        const how = this.#random.between(0, 3);
        if (how === 0) await this.#clock.sleep(HANGS_MS);
        if (how === 1) return verdicts.slice(1);
        throw new Error('the screener is away');
      },
    };
  }
}

function accountOf(user: number, account: string): string {
  return fakeAddress(`u${user} ${account}`);
}
