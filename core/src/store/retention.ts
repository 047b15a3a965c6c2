import type { UnixMs } from '../contract/ids.js';
import type { QuoteRow, TombstoneRow } from '../contract/store-rows.js';

/** A transaction that a client told us of is looked for this long. */
export const HINT_LIFE_MS = 60 * 60 * 1_000;
/** What ended this long after its quote was over is told nowhere. */
export const EARMARK_LIFE_MS = 24 * 60 * 60 * 1_000;
/** What an endpoint was told is in its log for this long, unless the operator says otherwise. */
export const DELIVERY_LIFE_MS = 30 * 24 * 60 * 60 * 1_000;
/** A payment may come in this long after its order's deadline and still find the quote. */
export const QUOTE_LIFE_MS = 30 * 24 * 60 * 60 * 1_000;

/** Deadlines before these are of quotes that shrink: of callers with a key, and of those without. */
export interface QuoteBounds {
  readonly keyed: UnixMs;
  readonly anonymous: UnixMs;
}

/**
 * Whoever asks without a key costs room and nothing else, so what they leave unpaid goes sooner.
 *
 * Invariant: no quote shrinks before its deadline, until which its order may be filled, whatever life is asked for.
 */
export function quoteBounds(now: UnixMs, anonymousLifeMs = QUOTE_LIFE_MS): QuoteBounds {
  const anonymous = Math.min(Math.max(anonymousLifeMs, 0), QUOTE_LIFE_MS);
  return { keyed: now - QUOTE_LIFE_MS, anonymous: now - anonymous };
}

/** What stays of an unpaid quote: the address that a deposit which comes years later is refunded to. */
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
