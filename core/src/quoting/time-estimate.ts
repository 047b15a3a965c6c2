import type { FillTimes } from './fill-times.js';
import type { Plan } from './plan.js';
import type { Route } from './route.js';

/**
 * Seconds from deposit to delivery: what fills of this route took of late, but never less than the steps
 * of the plan take in any case, as the blocks that a deposit of this value waits for. While too few fills are known: what the
 * steps usually take.
 */
export function timeEstimate(route: Route, plan: Plan, fillTimes: FillTimes | undefined): number {
  const observed = fillTimes?.of(route.origin.chain.facts.id, route.destination.chain.facts.id);
  const ms = observed === undefined ? sum(plan, 'ms') : Math.max(observed, sum(plan, 'leastMs'));
  return Math.max(1, Math.ceil(ms / 1000));
}

function sum(plan: Plan, part: 'ms' | 'leastMs'): number {
  return plan.reduce((all, step) => all + (step[part] ?? 0), 0);
}
