import type { LegKind } from '../contract/legs.js';
import type { OwedKind, TransactionRow } from '../contract/store-rows.js';

export interface LegFacts {
  readonly sentAs: LegKind;
  /** Pays an order's output from its lane's inventory: one per order, for ever. */
  readonly delivers: boolean;
  /** Settles part of the fill's deposit: requires the fill, and the request succeeds only with it. */
  readonly paidWithFill: boolean;
  /** Returns money of the deposit to its payer: a refund or an excess. */
  readonly refundsPayer: boolean;
  /** Owed instead of the order's fill: only one of the two may ever happen. */
  readonly replacesFill: boolean;
  /** Makes a call for others: its request has no deposit and follows it alone. */
  readonly executes: boolean;
  /** Moves the solver's own money: no client waits for it. */
  readonly movesSolverMoney: boolean;
  readonly role: Extract<TransactionRow['role'], 'fill' | 'refund'> | null;
  readonly failsAs: 'fills' | 'withdrawals' | 'calls';
}

const REFUND_FACTS = {
  ...{ delivers: false, paidWithFill: false, refundsPayer: true, executes: false },
  ...({ movesSolverMoney: false, role: 'refund', failsAs: 'withdrawals' } as const),
} as const;

const FACTS: Readonly<Record<OwedKind, LegFacts>> = {
  fill: {
    ...{ sentAs: 'fill', delivers: true, paidWithFill: false, refundsPayer: false, replacesFill: false },
    ...{ executes: false, movesSolverMoney: false, role: 'fill', failsAs: 'fills' },
  },
  topUp: {
    ...{ sentAs: 'fill', delivers: false, paidWithFill: true, refundsPayer: false, replacesFill: false },
    ...{ executes: false, movesSolverMoney: false, role: 'fill', failsAs: 'fills' },
  },
  refund: { ...REFUND_FACTS, sentAs: 'refund', replacesFill: true },
  excess: { ...REFUND_FACTS, sentAs: 'excess', replacesFill: false },
  collect: {
    ...{ sentAs: 'collect', delivers: false, paidWithFill: false, refundsPayer: false, replacesFill: false },
    ...{ executes: false, movesSolverMoney: true, role: null, failsAs: 'withdrawals' },
  },
  sweep: {
    ...{ sentAs: 'sweep', delivers: false, paidWithFill: false, refundsPayer: false, replacesFill: false },
    ...{ executes: false, movesSolverMoney: true, role: null, failsAs: 'withdrawals' },
  },
  call: {
    ...{ sentAs: 'call', delivers: false, paidWithFill: false, refundsPayer: false, replacesFill: false },
    ...{ executes: true, movesSolverMoney: false, role: 'fill', failsAs: 'calls' },
  },
  /** Sends a deposit that its payer signed: the deposit ends the request, not the leg. */
  permit: {
    ...{ sentAs: 'call', delivers: false, paidWithFill: false, refundsPayer: false, replacesFill: false },
    ...{ executes: false, movesSolverMoney: false, role: null, failsAs: 'calls' },
  },
  originCall: {
    ...{ sentAs: 'call', delivers: false, paidWithFill: false, refundsPayer: false, replacesFill: false },
    ...{ executes: false, movesSolverMoney: false, role: null, failsAs: 'calls' },
  },
  claim: {
    ...{ sentAs: 'fill', delivers: false, paidWithFill: false, refundsPayer: false, replacesFill: false },
    ...{ executes: false, movesSolverMoney: false, role: null, failsAs: 'fills' },
  },
  withdrawal: {
    ...{ sentAs: 'fill', delivers: false, paidWithFill: false, refundsPayer: false, replacesFill: false },
    ...{ executes: false, movesSolverMoney: false, role: null, failsAs: 'fills' },
  },
};

/** @throws for a kind unknown to this version, as from a newer version's database. */
export function factsOf({ kind }: { readonly kind: OwedKind }): LegFacts {
  const facts: LegFacts | undefined = Object.hasOwn(FACTS, kind) ? FACTS[kind] : undefined;
  if (facts === undefined) throw new Error(`there is no such kind of leg: ${kind}`);
  return facts;
}

export function endsRequest(leg: { readonly kind: OwedKind }): boolean {
  const { delivers, replacesFill, executes } = factsOf(leg);
  return delivers || replacesFill || executes;
}
