import type { UnixMs } from '../contract/ids.js';
import type { QuoteBody } from './quote.js';
import { type SpreadPolicy, spreadOf } from './spread.js';

/** Fixed rates, only for clients with an API key. */
export interface FixedRatePolicy {
  /** Upper bound of the validity, which is otherwise that of the origin chain's quotes. Milliseconds. */
  readonly validityMs: number;
  /** Taken in addition to the spread, because the service alone bears the risk. */
  readonly fee: SpreadPolicy;
  /** Maximum output value reserved for unpaid quotes of one key, micro-USD. */
  readonly maxHeldMicroUsdPerKey: bigint;
  readonly maxHeldMicroUsd: bigint;
}

const MINUTE_MS = 60_000;

/**
 * Basis points of the input. Within one asset group only the constant part applies, for the risk of a lost peg.
 *
 * @param ms age of the older price plus validity of the quote.
 */
export function fixedRateBps(
  { fee }: Pick<FixedRatePolicy, 'fee'>,
  groups: readonly [string, string],
  ms: number,
): number {
  return spreadOf(fee, groups, groups[0] === groups[1] ? 0 : Math.max(0, ms) / MINUTE_MS);
}

/**
 * Whether a payment keeps its quote's rate: the rate is fixed and the payment was included before expiry.
 *
 * @param blockTime of the including block; null if none.
 */
export function isFirm(
  { features, expiresAt }: Pick<QuoteBody, 'features' | 'expiresAt'>,
  blockTime: UnixMs | null,
): boolean {
  return features.includes('fixed_rate') && blockTime !== null && /* guard: rate-in-time */ blockTime <= expiresAt;
}
