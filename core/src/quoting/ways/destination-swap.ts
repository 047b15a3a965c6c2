import type { SwapOut } from '../../domain/swap-out.js';
import type { FoundSwap } from '../../liquidity/index.js';
import type { RouteEnd } from '../route.js';
import type { ValidAsk } from '../validate.js';

/** Smallest unit. */
export interface Delivery {
  readonly end: RouteEnd;
  /** Of one whole unit. */
  readonly usd: string;
  readonly amount: bigint;
  /** Less is no fill of a deposit in time. */
  readonly minimum: bigint;
  /** Less is no fill of a late deposit. */
  readonly least: bigint;
}

export interface DestinationSwap extends Delivery {
  readonly found: FoundSwap;
  /** Loss against the market price, micro-USD, never negative. */
  readonly lossMicroUsd: bigint;
}

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
    // Calls work only with the output currency.
    ...(swaps.fallback && calls.encoded.length === 0 ? { fallback: true } : {}),
  };
}
