import type { LegRow } from '../../contract/store-rows.js';

/** An operator's word outweighs what cannot be known; the once-only use still keeps it from being paid twice. */
export function isReleased({ releasedBy }: Pick<LegRow, 'releasedBy'>): boolean {
  return releasedBy === 'operator';
}

/** What a leg has on it that nobody released and nothing was tried for. */
export const FRESH = { releasedBy: null, reverts: 0, closings: 0 } as const satisfies Partial<LegRow>;

/** Reason of a fill that is still owed, and delivers what the solver gives because that cannot be exchanged (`useFallbacks`). */
export const FALLBACK = 'fallback';

/**
 * Reason of what goes out beside a fill, or of a claim, that this ledger may have paid in a part that it lost: it is never given
 * up by itself.
 */
export const MAYBE_PAID = 'maybePaid';

/** What a leg keeps of its reason where nothing else stands against it any more, whichever deposit it is for by then. */
export function lastingReason({ reason }: Pick<LegRow, 'reason'>): typeof MAYBE_PAID | null {
  return reason === MAYBE_PAID ? MAYBE_PAID : null;
}

/** Reason of a leg that is held because its transaction succeeded and what it did cannot be read. */
export const UNREAD = 'unread';

/** Reason of a leg that is held because a screener blocks one of its parties. */
export const BLOCKED = 'blocked';

/**
 * Reason of a void fill, or of what goes beside it, whose deposit a reorg made anew with another amount: nothing of it was ever signed,
 * and the deposit that is decided on anew may owe it again.
 */
export const REMADE = 'remade';

/** It claims nothing, and nothing of it was signed: it waits for a deposit. */
export function isIdle({ state, reason }: Pick<LegRow, 'state' | 'reason'>): boolean {
  return state === 'suspended' || (state === 'void' && reason === REMADE);
}
