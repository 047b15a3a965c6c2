import type { Tuning } from '../../support/config.js';
import type { Side } from '../../support/families/side.js';
import type { FamiliesStage, Order } from './stage.js';

/** Wishes for a deposit address that pays everything back. */
export const REFUNDED_AT_ADDRESS = { useDepositAddress: true, strict: true, referrer: 'debug-force-refund' };

export interface Course {
  step(): Promise<void>;
  isOver(): boolean;
}

/** One story between two chain families, during which the service is killed. */
export interface FamilyFlow<S extends Side> {
  readonly name: string;
  readonly tuning?: Tuning;
  orders(stage: FamiliesStage<S>): Promise<readonly Order[]>;
  /** By the chains alone: each party has what it is owed, nothing twice. */
  done(stage: FamiliesStage<S>, orders: readonly Order[]): Promise<boolean>;
  readonly status: 'success' | 'refund';
  /**
   * A restored ledger misses later collects permanently and collects nothing more of that currency
   * (core/src/engine/pots/missing-collects.ts), so no flow can follow a collect.
   */
  readonly collects?: boolean;
  course?(stage: FamiliesStage<S>, orders: readonly Order[]): Course;
  isAsNamed?(stage: FamiliesStage<S>, orders: readonly Order[]): Promise<void>;
}

export async function isFilled({ to, recipient, output, amountOut }: Order): Promise<boolean> {
  const arrived = await to.balance(recipient, output);
  if (arrived > amountOut) throw new Error(`${recipient} got ${arrived} of ${amountOut}`);
  return arrived === amountOut;
}

export async function isRefunded({ from, refundTo, input, amountIn }: Order): Promise<boolean> {
  const back = await from.balance(refundTo, input);
  if (back > amountIn) throw new Error(`${refundTo} got ${back} back of ${amountIn}`);
  return back > 0n;
}

/** Nothing is left at its deposit address. */
export async function isSwept({ from, depositAddress, input }: Order): Promise<boolean> {
  return (await from.balance(depositAddress, input)) === 0n;
}

export async function every(orders: readonly Order[], holds: (order: Order) => Promise<boolean>): Promise<boolean> {
  return (await Promise.all(orders.map(holds))).every(Boolean);
}

export async function isCollected(side: Side, symbol: string): Promise<boolean> {
  const pot = (await side.pots()).find(({ token }) => token === side.currency(symbol));
  return pot?.now === (pot?.before ?? 0n);
}
