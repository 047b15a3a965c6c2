import type { SeededRandom } from '../seeded-random.js';
import type { FaultPlan, ScreeningPlan, UserPlan } from './scenario.js';

/** Share of users who are blocked in the course of a run. */
const BLOCKED = 0.3;
const ACCOUNTS = ['wallet', 'recipient', 'refunds'] as const;

/** Draws of its own, so that nothing else about a run hangs on it: some before they ask, most while their money is on its way. */
export function drawScreening(random: SeededRandom, users: readonly UserPlan[]): ScreeningPlan {
  const blocks = users
    .filter(() => random.chance(BLOCKED))
    .map(({ id, at }) => ({
      user: id,
      account: random.pick(ACCOUNTS),
      at: Math.max(0, at + random.between(-2_000, 15_000)),
    }));
  return { blocks };
}

/** Times at which the screener is away. */
export function drawSilence(
  random: SeededRandom,
  firstId: number,
  chain: number,
  busyMs: number,
): readonly FaultPlan[] {
  return Array.from({ length: random.between(1, 3) }, (_, n): FaultPlan => {
    const at = random.between(0, busyMs);
    return { id: firstId + n, kind: 'screeningDown', at, ms: random.between(1_000, 15_000), chain };
  });
}
