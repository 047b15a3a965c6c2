import type { UnixMs } from '../contract/ids.js';
import type { QuoteRow, TombstoneRow } from '../contract/store-rows.js';
import { usersCountersBefore } from '../domain/accounts.js';

export const HINT_LIFE_MS = 60 * 60 * 1_000;
export const IDEMPOTENCY_LIFE_MS = 24 * 60 * 60 * 1_000;
export const EARMARK_LIFE_MS = 24 * 60 * 60 * 1_000;
export const DELIVERY_LIFE_MS = 30 * 24 * 60 * 60 * 1_000;
/** Payments up to this long after the order's deadline still find the whole quote. */
export const QUOTE_LIFE_MS = 30 * 24 * 60 * 60 * 1_000;

/** Of a user's counter of a day; reservations that are in it end sooner. */
export const USER_COUNTER_LIFE_MS = 60 * 24 * 60 * 60 * 1_000;

/** Range of the counters whose life is over, by name; without the second. */
export function endedCounters(now: UnixMs): readonly [string, string] {
  return usersCountersBefore(new Date(now - USER_COUNTER_LIFE_MS).toISOString().slice(0, 10));
}

export interface QuoteBounds {
  readonly keyed: UnixMs;
  readonly anonymous: UnixMs;
}

/**
 * Unpaid quotes of keyless callers go sooner.
 *
 * Invariant: no quote is reduced before its deadline, until which its order may be filled.
 */
export function quoteBounds(now: UnixMs, anonymousLifeMs = QUOTE_LIFE_MS): QuoteBounds {
  const anonymous = Math.min(Math.max(anonymousLifeMs, 0), QUOTE_LIFE_MS);
  return { keyed: now - QUOTE_LIFE_MS, anonymous: now - anonymous };
}

/** Keeps the refund address for late deposits. */
export function tombstoneOf(quote: QuoteRow): TombstoneRow {
  const { refundRecipient } = JSON.parse(quote.body) as { readonly refundRecipient?: string };
  return {
    orderId: quote.orderId,
    requestId: quote.id,
    refundTo: refundRecipient ?? quote.user,
    originChainId: quote.originChainId,
    keyId: quote.keyId,
    deadlineAt: quote.deadlineAt,
    createdAt: quote.createdAt,
  };
}
