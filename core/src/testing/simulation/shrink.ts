import { without } from './draw-scenario.js';
import type { Scenario } from './scenario.js';

/**
 * Searches for the smallest failing scenario by omitting faults and users: kinds, then halves, then singles. Draws
 * depend on the id alone, so the rest behaves the same until time diverges.
 */
export async function shrink(
  scenario: Scenario,
  fails: (scenario: Scenario) => Promise<boolean>,
  mostRuns = 300,
): Promise<Scenario> {
  let best = scenario;
  let runs = 0;
  const attempt = async (leave: Parameters<typeof without>[1]): Promise<boolean> => {
    if (runs >= mostRuns) return false;
    runs += 1;
    const smaller = without(best, leave);
    if (!(await fails(smaller))) return false;
    best = smaller;
    return true;
  };
  for (let before = -1; before !== size(best) && runs < mostRuns; ) {
    before = size(best);
    for (const group of groups(best.faults)) await attempt({ faults: group });
    for (const group of groups(best.users)) await attempt({ users: group });
    for (const group of groups(best.attacks ?? [])) await attempt({ attacks: group });
  }
  return best;
}

function size({ users, faults, attacks = [] }: Scenario): number {
  return users.length + faults.length + attacks.length;
}

/** Ids to omit together: kinds, halves, quarters, down to singles. */
function* groups(plans: readonly { readonly id: number; readonly kind: string }[]): Iterable<ReadonlySet<number>> {
  for (const kind of new Set(plans.map((plan) => plan.kind)))
    yield new Set(plans.filter((plan) => plan.kind === kind).map(({ id }) => id));
  const ids = plans.map(({ id }) => id);
  for (let length = Math.ceil(ids.length / 2); length >= 1; length = length === 1 ? 0 : Math.ceil(length / 2))
    for (let from = 0; from < ids.length; from += length) yield new Set(ids.slice(from, from + length));
}
