import type { Tuning } from '../../support/config.js';
import type { Side } from '../../support/families/side.js';
import type { FamiliesStage, Order } from './stage.js';

/** Behaviour of the chains during one play. */
export interface Course {
  step(): Promise<void>;
  /** Nothing is left that the play's name requires. */
  isOver(): boolean;
}

/** One story between two chain families, during which the service is killed. */
export interface FamilyFlow<S extends Side> {
  readonly name: string;
  readonly tuning?: Tuning;
  orders(stage: FamiliesStage<S>): Promise<readonly Order[]>;
  /** By the chains alone: every party has what it is owed, and nothing twice. */
  done(stage: FamiliesStage<S>, orders: readonly Order[]): Promise<boolean>;
  /** Final status of the orders. */
  readonly status: 'success' | 'refund';
  /**
   * The flow collects. A restored ledger misses later collects for good and collects nothing more of that currency
   * (core/src/engine/pots/missing-collects.ts), so no flow can follow it.
   */
  readonly collects?: boolean;
  /** Where the chains do more than their sides' default. */
  course?(stage: FamiliesStage<S>, orders: readonly Order[]): Course;
  /** For a play without a kill: throws when the story did not happen. */
  isAsNamed?(stage: FamiliesStage<S>, orders: readonly Order[]): Promise<void>;
}

/** @throws when more arrived than was promised. */
export async function isFilled({ to, recipient, output, amountOut }: Order): Promise<boolean> {
  const arrived = await to.balance(recipient, output);
  if (arrived > amountOut) throw new Error(`${recipient} got ${arrived} of ${amountOut}`);
  return arrived === amountOut;
}

/** @throws when more came back than was paid. */
export async function isPaidBack({ from, refundTo, input, amountIn }: Order): Promise<boolean> {
  const back = await from.balance(refundTo, input);
  if (back > amountIn) throw new Error(`${refundTo} got ${back} back of ${amountIn}`);
  return back > 0n;
}

export async function every(orders: readonly Order[], holds: (order: Order) => Promise<boolean>): Promise<boolean> {
  return (await Promise.all(orders.map(holds))).every(Boolean);
}

/** No deposit is left to collect. */
export async function isCollected(side: Side, symbol: string): Promise<boolean> {
  const pot = (await side.pots()).find(({ token }) => token === side.currency(symbol));
  return pot?.now === (pot?.before ?? 0n);
}
