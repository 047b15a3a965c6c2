import type { Currency } from '../contract/currency.js';
import type { Hex } from '../contract/ids.js';
import type { RouteEnd } from './route.js';

/** What any step may bring along, whatever its kind: readers of a plan add it up and need not know the kinds. */
interface StepShare {
  /** Usual time that it takes, milliseconds. */
  readonly ms?: number;
  /** Part of that which no observation of past fills makes shorter, milliseconds. */
  readonly leastMs?: number;
  /** What an exchange below the market's price loses, micro-USD, never negative. */
  readonly lossMicroUsd?: bigint;
  /** Calls that the order names, in the form of the destination's family. */
  readonly calls?: readonly Hex[];
}

/** The payer's transfer into the depository. A plan has exactly one. */
export interface TakeDeposit extends StepShare {
  readonly kind: 'deposit';
  readonly end: RouteEnd;
  /** Smallest unit. */
  readonly amount: bigint;
  /** Network cost that the payer bears, native smallest unit. */
  readonly payerCost: bigint;
}

export type FeeComponent = 'relayerGas' | 'relayerService' | 'app';

/** The payer swaps what it pays with for what is deposited, in the same transaction. */
export interface SwapOrigin extends StepShare {
  readonly kind: 'swapOrigin';
  /** Id of the source that it was quoted from. */
  readonly source: string;
  /** Smallest unit of what the payer pays with. */
  readonly amountIn: bigint;
}

/** A part of the deposit that is not delivered, in its currency. */
export interface TakeFee extends StepShare {
  readonly kind: 'fee';
  readonly component: FeeComponent;
  readonly amount: bigint;
}

/** The fill exchanges what the solver gives for what was asked for. */
export interface SwapDestination extends StepShare {
  readonly kind: 'swapDestination';
  /** Id of the source that it was quoted from. */
  readonly source: string;
  /** Smallest unit of what the solver gives. */
  readonly amountIn: bigint;
}

/** What the solver delivers. */
export interface Payment extends StepShare {
  readonly kind: 'payment';
  readonly end: RouteEnd;
  readonly recipient: string;
  /** Smallest unit, as `least`. */
  readonly amount: bigint;
  /** Less counts as no fill, also of a late deposit. */
  readonly least: bigint;
}

/** What the fill does with what it delivers, before the rest goes to the recipient. */
export interface MakeCalls extends StepShare {
  readonly kind: 'calls';
  readonly calls: readonly Hex[];
}

/** Native coin that is delivered to the recipient beside the output, in a transaction of its own. */
export interface PayTopUp extends StepShare {
  readonly kind: 'topUp';
  readonly coin: Currency;
  readonly recipient: string;
  /** Smallest unit, as `least`. */
  readonly amount: bigint;
  /** Where less could be delivered, what it took goes back. */
  readonly least: bigint;
  /** USD per whole unit. */
  readonly usd: string;
}

export type PlanStep = SwapOrigin | TakeDeposit | TakeFee | SwapDestination | Payment | MakeCalls | PayTopUp;

/** All that a quote comes to, in the order in which it happens. */
export type Plan = readonly PlanStep[];

/** @throws where no stage took the deposit, which is a bug of the table. */
export function depositOf(plan: Plan): TakeDeposit {
  for (const step of plan) if (step.kind === 'deposit') return step;
  throw new Error('a plan takes no deposit');
}

export function paymentsOf(plan: Plan): readonly Payment[] {
  return plan.filter((step) => step.kind === 'payment');
}

export function topUpsOf(plan: Plan): readonly PayTopUp[] {
  return plan.filter((step) => step.kind === 'topUp');
}

export function callsOf(plan: Plan): readonly Hex[] {
  return plan.flatMap(({ calls = [] }) => calls);
}

/** Of all steps, in the deposit's currency. */
export function feeOf(plan: Plan, component: FeeComponent): bigint {
  let sum = 0n;
  for (const step of plan) if (step.kind === 'fee' && step.component === component) sum += step.amount;
  return sum;
}

/** Micro-USD, never negative. */
export function lossOf(plan: Plan): bigint {
  return plan.reduce((sum, { lossMicroUsd = 0n }) => sum + lossMicroUsd, 0n);
}
