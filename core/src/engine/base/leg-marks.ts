import type { LegRow } from '../../contract/store-rows.js';

/** Outweighs doubt; the once-only use still prevents a second payment. */
export function isReleased({ releasedBy }: Pick<LegRow, 'releasedBy'>): boolean {
  // guard: released-by-operator
  return releasedBy === 'operator';
}

export const FRESH = { releasedBy: null, reverts: 0, closings: 0 } as const satisfies Partial<LegRow>;

/** A fill that delivers the solver's currency because the exchange failed (`useFallbacks`). */
export const FALLBACK = 'fallback';

/** A top-up or claim that a lost part of this ledger may have paid: never abandoned automatically. */
export const MAYBE_PAID = 'maybePaid';

/** The part of a leg's reason that stays when another deposit pays for the leg. */
export function lastingReason({ reason }: Pick<LegRow, 'reason'>): typeof MAYBE_PAID | null {
  return reason === MAYBE_PAID ? MAYBE_PAID : null;
}

/** Held: the transaction succeeded with an unreadable effect. */
export const UNREAD = 'unread';

export const BLOCKED = 'blocked';

/** Held: the client named no address for refunds, and a sender is often a custodian. */
export const NO_REFUND_ADDRESS = 'noRefundAddress';

/** Void fill or top-up, never signed, whose deposit a reorg reincluded with another amount: it may be owed again. */
export const REINCLUDED = 'remade';

/** Claims nothing, never signed: waits for a deposit. */
export function isIdle({ state, reason }: Pick<LegRow, 'state' | 'reason'>): boolean {
  return state === 'suspended' || (state === 'void' && reason === REINCLUDED);
}
