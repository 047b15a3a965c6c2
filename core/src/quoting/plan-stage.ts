import type { Clock } from '../contract/clock.js';
import type { SponsorPromise } from '../domain/quote.js';
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
import type { PayerWay } from './ways/payer-way.js';
import { within } from './within.js';

export interface Priced {
  readonly ask: ValidAsk;
  /** From and to the client's currencies. */
  readonly asked: Route;
  /** The part served from inventory: the same destination, or a currency that is swapped there. */
  readonly route: Route;
  readonly market: Market;
  readonly pricing: Pricing;
  /** Absent: the payer deposits its own currency. */
  readonly swapIn?: OriginSwap;
  readonly swap?: DestinationSwap;
  /** Absent: paid into the depository, and filled by the solver. */
  readonly own?: PayerWay;
  /** Absent: the user pays all fees. */
  readonly sponsor?: SponsorPromise;
}

export function deliveryOf({ route, market, pricing, swap }: Omit<Priced, 'ask' | 'asked'>): Delivery {
  if (swap) return swap;
  const { amountOut: amount } = pricing.amounts;
  return { end: route.destination, usd: market.outUsd, amount, least: leastOf(pricing), minimum: pricing.minimum };
}

export function paidOf({ route, market, pricing, swapIn }: Omit<Priced, 'ask' | 'asked'>): PaidIn {
  return swapIn ?? { end: route.origin, usd: market.inUsd, amount: sentOf(pricing) };
}

/** What leaves the payer's account in the currency of the deposit; less arrives of a token with a transfer fee. */
export function sentOf({ sent, amounts }: Pick<Pricing, 'sent' | 'amounts'>): bigint {
  return sent ?? amounts.amountIn;
}

/** Adds steps to the plan, and declares the features it serves. */
export interface PlanStage {
  /** Absent: only plain transfers. */
  serves?(feature: Feature, ends: Ends): boolean;
  /** The next steps, or the refusal that ends the quote. A promise only if the stage has to wait. */
  add(priced: Priced, before: Plan): Stage<readonly PlanStep[]> | Promise<Stage<readonly PlanStep[]>>;
}

/**
 * Runs the stages in order. Those that wait share one deadline (REQUEST_TIMED_OUT), and none begins after it.
 * Exceptions of stages are bugs and propagate.
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
