import type { SwapIn } from '../../domain/swap-in.js';
import type { FoundSwap } from '../../liquidity/index.js';
import type { RouteEnd } from '../route.js';
import type { ValidAsk } from '../validate.js';

/** Smallest unit. */
export interface PaidIn {
  readonly end: RouteEnd;
  /** Of one whole unit. */
  readonly usd: string;
  readonly amount: bigint;
}

export interface OriginSwap extends PaidIn {
  readonly found: FoundSwap;
  /** Minimum that is deposited. */
  readonly least: bigint;
  /** Maximum of the deposit that counts toward the delivery. */
  readonly most: bigint;
  /** Slippage of the origin side, hundredths of a per cent. */
  readonly slippageBps: number;
  /** Loss against the market price, micro-USD, never negative. */
  readonly lossMicroUsd: bigint;
}

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
