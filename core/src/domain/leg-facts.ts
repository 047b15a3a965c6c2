import type { LegKind } from '../contract/legs.js';
import type { OwedKind, TransactionRow } from '../contract/store-rows.js';

/** What holds of every leg of a kind, wherever it is read. What the engine does with a kind is in `engine/kinds`. */
export interface LegFacts {
  /** What chains know it as, when they are asked what it costs and who sends it. */
  readonly sentAs: LegKind;
  /** It pays out what an order promised, from the inventory of its lane: one for each order, for ever. */
  readonly delivers: boolean;
  /**
   * It goes out beside the fill of an order, from the same inventory, and settles a part of the same deposit: nothing without that
   * fill, and the request is no success without it.
   */
  readonly besideFill: boolean;
  /** It pays a deposit, or a part of it, back out of the depository. */
  readonly paysBack: boolean;
  /** It is owed in place of the fill of its order: only one of the two may ever happen. */
  readonly replacesFill: boolean;
  /** It moves the solver's own money: nobody waits for it. */
  readonly isOwn: boolean;
  /** What its transaction is called in the record of its request; null for what belongs to no request. */
  readonly role: Extract<TransactionRow['role'], 'fill' | 'refund'> | null;
  /** What is told to fail, in an alert about its lane. */
  readonly failsAs: 'fills' | 'withdrawals';
}

const PAYMENT_BACK = {
  ...{ delivers: false, besideFill: false, paysBack: true },
  ...({ isOwn: false, role: 'refund', failsAs: 'withdrawals' } as const),
} as const;

const FACTS: Readonly<Record<OwedKind, LegFacts>> = {
  fill: {
    ...{ sentAs: 'fill', delivers: true, besideFill: false, paysBack: false, replacesFill: false },
    ...{ isOwn: false, role: 'fill', failsAs: 'fills' },
  },
  topUp: {
    ...{ sentAs: 'fill', delivers: false, besideFill: true, paysBack: false, replacesFill: false },
    ...{ isOwn: false, role: 'fill', failsAs: 'fills' },
  },
  refund: { ...PAYMENT_BACK, sentAs: 'refund', replacesFill: true },
  excess: { ...PAYMENT_BACK, sentAs: 'excess', replacesFill: false },
  collect: {
    ...{ sentAs: 'collect', delivers: false, besideFill: false, paysBack: false, replacesFill: false },
    ...{ isOwn: true, role: null, failsAs: 'withdrawals' },
  },
  claim: {
    ...{ sentAs: 'fill', delivers: false, besideFill: false, paysBack: false, replacesFill: false },
    ...{ isOwn: false, role: null, failsAs: 'fills' },
  },
};

/** @throws for a kind that this version does not have, as a database of a newer one may hold. */
export function factsOf({ kind }: { readonly kind: OwedKind }): LegFacts {
  const facts: LegFacts | undefined = Object.hasOwn(FACTS, kind) ? FACTS[kind] : undefined;
  if (facts === undefined) throw new Error(`there is no such kind of leg: ${kind}`);
  return facts;
}

/** Whether the end of a leg is the end of its request: that of what is paid back on top of a fill is not. */
export function endsRequest(leg: { readonly kind: OwedKind }): boolean {
  const { delivers, replacesFill } = factsOf(leg);
  return delivers || replacesFill;
}
