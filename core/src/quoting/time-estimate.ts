import type { FillTimes } from './fill-times.js';
import type { Route } from './route.js';

/**
 * Seconds from deposit to delivery: what fills of this route took of late, but never less than the blocks that a deposit
 * of this value waits for. While too few fills are known: those blocks, the deposit's own and the fill's.
 */
export function timeEstimate(route: Route, valueMicroUsd: bigint, fillTimes: FillTimes | undefined): number {
  const { facts } = route.origin.chain;
  const destination = route.destination.chain.facts;
  const waits = route.origin.chain.acceptDepth(valueMicroUsd) * facts.blockTimeMs;
  const observed = fillTimes?.of(facts.id, destination.id);
  const ms = observed === undefined ? waits + facts.blockTimeMs + destination.blockTimeMs : Math.max(observed, waits);
  return Math.max(1, Math.ceil(ms / 1000));
}
