import type { Tuning } from '../../support/config.js';
import type { Side } from '../../support/families/side.js';
import type { FamiliesStage, Order } from './stage.js';

/** How the chains go on during one play. */
export interface Course {
  /** As far as they go now. */
  step(): Promise<void>;
  /** Nothing is left that has to happen for the play to be what its name says. */
  isOver(): boolean;
}

/** One story between families that the service is killed in. */
export interface FamilyFlow<S extends Side> {
  readonly name: string;
  readonly tuning?: Tuning;
  orders(stage: FamiliesStage<S>): Promise<readonly Order[]>;
  /** By the chains alone: everybody has what they are owed, and nothing twice. */
  done(stage: FamiliesStage<S>, orders: readonly Order[]): Promise<boolean>;
  /** What the orders end as. */
  readonly status: 'success' | 'refund';
  /**
   * It collects. A ledger that is put back misses for good what was collected since, and collects nothing more of that
   * currency (core/src/engine/pots/missing-collects.ts), so nothing can be played behind it.
   */
  readonly collects?: boolean;
  /** Where the chains do not just go on as their sides do. */
  course?(stage: FamiliesStage<S>, orders: readonly Order[]): Course;
  /** Of a play in which nobody was killed: throws when it was not the story that its name says. */
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

/** Nothing that was paid in is left to be collected. */
export async function isCollected(side: Side, symbol: string): Promise<boolean> {
  const pot = (await side.pots()).find(({ token }) => token === side.currency(symbol));
  return pot?.now === (pot?.before ?? 0n);
}
