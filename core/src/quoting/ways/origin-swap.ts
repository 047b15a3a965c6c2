import type { SwapIn } from '../../domain/swap-in.js';
import type { FoundSwap } from '../../liquidity/index.js';
import type { RouteEnd } from '../route.js';
import type { ValidAsk } from '../validate.js';

/** What a payer pays with. Smallest unit. */
export interface PaidIn {
  readonly end: RouteEnd;
  /** Of one whole unit. */
  readonly usd: string;
  readonly amount: bigint;
}

/** What the payer pays with is exchanged for what is deposited, in the payer's own transaction. */
export interface OriginSwap extends PaidIn {
  readonly found: FoundSwap;
  /** Least that is deposited. */
  readonly least: bigint;
  /** Most of it that is delivered the worth of. */
  readonly most: bigint;
  /** Hundredths of a per cent that the origin's side may lose. */
  readonly slippageBps: number;
  /** What the exchange loses to the market's price, micro-USD, never negative. */
  readonly lossMicroUsd: bigint;
}

/** As the order's promise keeps it. */
export function swapInOf(
  { swaps }: Pick<ValidAsk, 'swaps'>,
  { end, usd, amount, least, most, found }: OriginSwap,
  amountIn: bigint,
): SwapIn {
  return {
    side: end.side,
    usd,
    amount: amount.toString(),
    least: least.toString(),
    ...(most === amountIn ? {} : { most: most.toString() }),
    source: found.source.id,
    rules: swaps.originRules ?? {},
    work: found.quote.work.toString(),
    ...(swaps.anyImpact ? { anyImpact: true } : {}),
  };
}
