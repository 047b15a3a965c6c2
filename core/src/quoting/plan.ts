import type { Currency } from '../contract/currency.js';
import type { Hex } from '../contract/ids.js';
import type { RouteEnd } from './route.js';

/** Common to steps of any kind, so that readers can sum without knowing the kinds. */
interface StepShare {
  /** Usual duration, milliseconds. */
  readonly ms?: number;
  /** Lower bound whatever past fills took, milliseconds. */
  readonly leastMs?: number;
  /** Loss against the market price, micro-USD, never negative. */
  readonly lossMicroUsd?: bigint;
  /** Calls of the order, in the form of the destination's family. */
  readonly calls?: readonly Hex[];
}

/** The payer's transfer into the depository. Exactly one per plan. */
export interface TakeDeposit extends StepShare {
  readonly kind: 'deposit';
  readonly end: RouteEnd;
  /** Smallest unit. */
  readonly amount: bigint;
  readonly payerCost: bigint;
}

export type FeeComponent = 'relayerGas' | 'relayerService' | 'app';

/** Swap within the payer's deposit transaction. */
export interface SwapOrigin extends StepShare {
  readonly kind: 'swapOrigin';
  /** Id of the liquidity source. */
  readonly source: string;
  readonly amountIn: bigint;
}

/** A part of the deposit that is not delivered, in its currency. */
export interface TakeFee extends StepShare {
  readonly kind: 'fee';
  readonly component: FeeComponent;
  readonly amount: bigint;
}

export interface SwapDestination extends StepShare {
  readonly kind: 'swapDestination';
  /** Id of the liquidity source. */
  readonly source: string;
  readonly amountIn: bigint;
}

export interface Payment extends StepShare {
  readonly kind: 'payment';
  readonly end: RouteEnd;
  readonly recipient: string;
  /** Smallest unit, as `least`. */
  readonly amount: bigint;
  /** Less is not a fill, also for a late deposit. */
  readonly least: bigint;
}

export interface MakeCalls extends StepShare {
  readonly kind: 'calls';
  readonly calls: readonly Hex[];
}

/** Native coin in addition to the output, in a transaction of its own. */
export interface PayTopUp extends StepShare {
  readonly kind: 'topUp';
  readonly coin: Currency;
  readonly recipient: string;
  /** Smallest unit, as `least`. */
  readonly amount: bigint;
  /** Below this the coin's share is refunded. */
  readonly least: bigint;
  /** USD per whole unit. */
  readonly usd: string;
}

export type PlanStep = SwapOrigin | TakeDeposit | TakeFee | SwapDestination | Payment | MakeCalls | PayTopUp;

/** In order of execution. */
export type Plan = readonly PlanStep[];

/** @throws if no stage took the deposit, which is a bug of the table. */
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

export function feeOf(plan: Plan, component: FeeComponent): bigint {
  let sum = 0n;
  for (const step of plan) if (step.kind === 'fee' && step.component === component) sum += step.amount;
  return sum;
}

/** Micro-USD, never negative. */
export function lossOf(plan: Plan): bigint {
  return plan.reduce((sum, { lossMicroUsd = 0n }) => sum + lossMicroUsd, 0n);
}
