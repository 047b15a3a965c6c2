import type { LegRow } from '../../contract/store-rows.js';

/** Begins the reason of a leg that an operator released: it pays out whole, its gas is the operator's. */
export const RELEASED = 'released';

/** Begins the reason of a leg that whoever paid asked for under a signature: its recipient is proven, its gas is theirs. */
export const SIGNED_FOR = 'signedFor';

/** An operator's word outweighs what cannot be known; the once-only use still keeps it from being paid twice. */
export function isReleased(leg: Pick<LegRow, 'reason'>): boolean {
  return leg.reason?.startsWith(RELEASED) ?? false;
}

/** What a reason begins with that lasts while its leg is tried again; empty where nothing does. */
export function lastingReason({ reason }: Pick<LegRow, 'reason'>): string {
  return [RELEASED, SIGNED_FOR].find((word) => reason?.startsWith(word)) ?? '';
}

/** How often keys of a leg ended one way, which is kept in its reason while it is tried again. */
export function countIn({ reason }: Pick<LegRow, 'reason'>, end: 'reverted' | 'closed'): number {
  return Number(new RegExp(`\\b${end}:(\\d+)`).exec(reason ?? '')?.[1] ?? 0);
}

/** Reason of a leg that is held because its transaction succeeded and what it did cannot be read. */
export const UNREAD = 'unread';
