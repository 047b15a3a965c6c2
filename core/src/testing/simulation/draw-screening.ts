import type { SeededRandom } from '../seeded-random.js';
import type { FaultPlan, ScreeningPlan, UserPlan } from './scenario.js';

const BLOCKED = 0.3;
const ACCOUNTS = ['wallet', 'recipient', 'refunds'] as const;

/** Separate draws: some are blocked before they ask, most while their money is in flight. */
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
