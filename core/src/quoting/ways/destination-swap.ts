import type { SwapOut } from '../../domain/swap-out.js';
import type { FoundSwap } from '../../liquidity/index.js';
import type { RouteEnd } from '../route.js';
import type { ValidAsk } from '../validate.js';

/** What a recipient gets. Smallest unit. */
export interface Delivery {
  readonly end: RouteEnd;
  /** Of one whole unit. */
  readonly usd: string;
  readonly amount: bigint;
  /** Less counts as no fill of a deposit in time. */
  readonly minimum: bigint;
  /** Nor of a late one. */
  readonly least: bigint;
}

/** What the solver gives is exchanged for it in the fill. */
export interface DestinationSwap extends Delivery {
  /** All that the solver gives, for as much as there is to get. */
  readonly found: FoundSwap;
  /** What the exchange loses to the market's price, micro-USD, never negative. */
  readonly lossMicroUsd: bigint;
}

/** As the order's promise keeps it. */
export function swapOutOf({ swaps, calls }: Pick<ValidAsk, 'swaps' | 'calls'>, swap: DestinationSwap): SwapOut {
  const { end, usd, amount, minimum, least, found } = swap;
  return {
    side: end.side,
    usd,
    expected: amount.toString(),
    least: minimum.toString(),
    ...(least === minimum ? {} : { lateLeast: least.toString() }),
    source: found.source.id,
    rules: swaps.rules,
    ...(swaps.exact ? { exact: true } : {}),
    ...(swaps.anyImpact ? { anyImpact: true } : {}),
    // Calls were written for what comes out, and for nothing else.
    ...(swaps.fallback && calls.encoded.length === 0 ? { fallback: true } : {}),
  };
}
