import type { UnixMs } from '../contract/ids.js';
import type { QuoteBody } from './quote.js';
import { type SpreadPolicy, spreadOf } from './spread.js';

/** On which terms rates are fixed. A client without a key is given none. */
export interface FixedRatePolicy {
  /** A fixed rate is valid for so long, or for as long as the quotes of its origin chain where that is less. Milliseconds. */
  readonly validityMs: number;
  /** Taken beside the spread, for the risk that is the service's alone. */
  readonly fee: SpreadPolicy;
  /** Most value of outputs kept at one time for unpaid quotes of one key, and so of one quote. Micro-USD. */
  readonly maxHeldMicroUsdPerKey: bigint;
  /** The same of all keys together. */
  readonly maxHeldMicroUsd: bigint;
}

const MINUTE_MS = 60_000;

/**
 * Fee of a fixed rate, hundredths of a per cent of the input. Within one asset group prices do not wander, but an asset may lose its
 * peg: there the constant part of the fee alone is taken.
 *
 * @param ms age of the older price and validity of the quote together.
 */
export function fixedRateBps(
  { fee }: Pick<FixedRatePolicy, 'fee'>,
  groups: readonly [string, string],
  ms: number,
): number {
  return spreadOf(fee, groups, groups[0] === groups[1] ? 0 : Math.max(0, ms) / MINUTE_MS);
}

/**
 * Whether a payment is filled at its quote's rate whatever prices are by now: the quote fixed it, and the payment was in a block
 * before the quote was over. What comes later is priced anew, as any other.
 *
 * @param blockTime of the block that includes the payment; null while it is in none.
 */
export function isFirm(
  { features, expiresAt }: Pick<QuoteBody, 'features' | 'expiresAt'>,
  blockTime: UnixMs | null,
): boolean {
  return features.includes('fixed_rate') && blockTime !== null && blockTime <= expiresAt;
}
