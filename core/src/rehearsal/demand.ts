import type { ChainId } from '../contract/ids.js';

/** A currency of a configured chain. */
export interface Side {
  readonly chainId: ChainId;
  /** Address. */
  readonly currency: string;
  readonly symbol: string;
  readonly decimals: number;
}

/** What leaves or reaches the inventory, in the smallest unit. */
export interface Flow {
  readonly side: Side;
  readonly amount: bigint;
}

/** A quote that could have been given, and what its fill would have meant at that time. */
export interface Demand {
  /** Unix milliseconds. */
  readonly at: number;
  readonly payer: string;
  readonly origin: Side;
  readonly destination: Side;
  /** Micro-USD, as all that follows. */
  readonly volume: bigint;
  /** Service fee. */
  readonly fees: bigint;
  /** Charged for network fees. */
  readonly charged: bigint;
  /** Network fees of the fill and of collecting the deposit, at the gas prices of that time. */
  readonly cost: bigint;
  /** Paid at the time of the fill. Nothing where the payer executes the swap itself. */
  readonly paid: readonly Flow[];
  /** Collected from the depository. */
  readonly received: readonly Flow[];
  /** From the fill until `received` is there, milliseconds: finality of the deposit, and the interval of collects. */
  readonly receivedAfterMs: number;
}

/** Of one payer for one pair. */
export function pairOf({ payer, origin, destination }: Pick<Demand, 'payer' | 'origin' | 'destination'>): string {
  return `${payer}>${routeOf({ origin, destination })}`;
}

export function routeOf({ origin, destination }: Pick<Demand, 'origin' | 'destination'>): string {
  return `${placeOf(origin)}>${placeOf(destination)}`;
}

export function placeOf({ chainId, currency }: Pick<Side, 'chainId' | 'currency'>): string {
  return `${chainId}:${currency}`;
}
