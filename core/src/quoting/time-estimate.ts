import type { FillTimes } from './fill-times.js';
import type { Plan } from './plan.js';
import type { Route } from './route.js';

/**
 * Recent fill times of the route, but at least the fixed time of the plan's steps, such as confirmations for this
 * value. With too few fills: the usual time of the steps.
 */
export function timeEstimate(route: Route, plan: Plan, fillTimes: FillTimes | undefined): number {
  const observed = fillTimes?.of(route.origin.chain.facts.id, route.destination.chain.facts.id);
  const ms = observed === undefined ? sum(plan, 'ms') : Math.max(observed, sum(plan, 'leastMs'));
  return Math.max(1, Math.ceil(ms / 1000));
}

function sum(plan: Plan, part: 'ms' | 'leastMs'): number {
  return plan.reduce((all, step) => all + (step[part] ?? 0), 0);
}
