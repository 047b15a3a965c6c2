import type { Clock } from '../contract/clock.js';
import { type ApiError, apiError } from '../errors/api-error.js';
import type { Market } from './market.js';
import type { Plan, PlanStep } from './plan.js';
import { leastOf, type Pricing } from './pricing.js';
import type { Route } from './route.js';
import { refused, type Stage } from './stage.js';
import type { Ends, Feature } from './unsupported.js';
import type { ValidAsk } from './validate.js';
import type { Delivery, DestinationSwap } from './ways/destination-swap.js';
import type { OriginSwap, PaidIn } from './ways/origin-swap.js';
import type { OwnWay } from './ways/own-way.js';
import { within } from './within.js';

/** A quote that could be promised. */
export interface Priced {
  readonly ask: ValidAsk;
  /** What the client asked for: from its currency to its currency. */
  readonly asked: Route;
  /** How far the solver's own money goes: to the same end, or to a currency that is exchanged for what was asked for. */
  readonly route: Route;
  readonly market: Market;
  readonly pricing: Pricing;
  /** Absent: the payer deposits what it pays with. */
  readonly swapIn?: OriginSwap;
  /** Absent: the recipient gets what the solver gives. */
  readonly swap?: DestinationSwap;
  /** Absent: it is paid into the depository, and the solver fills it. */
  readonly own?: OwnWay;
}

/** What the recipient gets. */
export function deliveryOf({ route, market, pricing, swap }: Omit<Priced, 'ask' | 'asked'>): Delivery {
  if (swap) return swap;
  const { amountOut: amount } = pricing.amounts;
  return { end: route.destination, usd: market.outUsd, amount, least: leastOf(pricing), minimum: pricing.minimum };
}

/** What leaves the payer's account. */
export function paidOf({ route, market, pricing, swapIn }: Omit<Priced, 'ask' | 'asked'>): PaidIn {
  return swapIn ?? { end: route.origin, usd: market.inUsd, amount: pricing.sent ?? pricing.amounts.amountIn };
}

/** Adds steps to the plan, and says which features of a body it serves. */
export interface PlanStage {
  /** Absent: none but what every transfer has. */
  serves?(feature: Feature, ends: Ends): boolean;
  /** The steps that come next, or the refusal that ends the quote. A promise only where the stage has to wait. */
  add(priced: Priced, before: Plan): Stage<readonly PlanStep[]> | Promise<Stage<readonly PlanStep[]>>;
}

/**
 * The plan of all stages, one after the other. Waits only where a stage does; all that wait share one deadline
 * (REQUEST_TIMED_OUT), and none begins after it. What a stage throws is a bug, and thrown on.
 */
export function planOf(
  priced: Priced,
  stages: readonly PlanStage[],
  clock: Pick<Clock, 'sleep'>,
): Stage<Plan> | Promise<Stage<Plan>> {
  const steps: PlanStep[] = [];
  for (const [index, stage] of stages.entries()) {
    const added = stage.add(priced, steps);
    if (added instanceof Promise) return inTime(priced, steps, added, stages.slice(index + 1), clock);
    if (refused(added)) return added;
    steps.push(...added);
  }
  return steps;
}

async function inTime(
  priced: Priced,
  steps: PlanStep[],
  first: Promise<Stage<readonly PlanStep[]>>,
  rest: readonly PlanStage[],
  clock: Pick<Clock, 'sleep'>,
): Promise<Stage<Plan>> {
  let over = false;
  const goOn = async (): Promise<Stage<Plan>> => {
    const refusal = append(steps, await first);
    if (refusal) return refusal;
    for (const stage of rest) {
      if (over) break;
      const later = append(steps, await stage.add(priced, steps));
      if (later) return later;
    }
    return steps;
  };
  const planned = await within(clock, goOn());
  over = true;
  return planned === 'late' ? apiError('REQUEST_TIMED_OUT') : planned;
}

function append(steps: PlanStep[], added: Stage<readonly PlanStep[]>): ApiError | undefined {
  if (refused(added)) return added;
  steps.push(...added);
  return undefined;
}
