import type { LegEffect, LegInstruction, OrderId } from '@causeway/core';
import { NATIVE, orderIdOf } from './addresses.js';
import type { Solver } from './transactions/build.js';
import type { ReadTransaction } from './transactions/read.js';
import { memosOf, type Transfer, transfersOf } from './transactions/transfers.js';

/**
 * What a leg did, read from the transaction itself, never from our intention: a transfer of the leg's currency from its
 * pot to its recipient, of no less than was owed, beside the memo that names it.
 */
export function legEffect(solver: Solver, transaction: ReadTransaction, leg: LegInstruction): LegEffect {
  const none = { legId: leg.legId, done: false, moved: 0n };
  if (!transaction.ok || !memosOf(transaction).some((memo) => memo.trim().toLowerCase() === memoOf(leg))) return none;
  const source = leg.kind === 'fill' ? solver.fill : solver.vault;
  const paid = payments(transaction, source).find(
    ({ currency, recipient, sent, arrived }) =>
      currency === leg.currency &&
      recipient === leg.recipient &&
      // An order is owed what arrives; of a deposit nobody is owed what its mint keeps on the way back.
      (leg.kind === 'fill' ? arrived : sent) >= leg.amount,
  );
  return paid === undefined ? none : { legId: leg.legId, done: true, moved: paid.sent };
}

/** The text by which the chain's history names a leg. */
export function memoOf(leg: LegInstruction): string {
  return (leg.kind === 'fill' ? leg.orderId : leg.useKey).toLowerCase();
}

export interface Payment {
  readonly currency: string;
  /** Owner of the account that was paid. */
  readonly recipient: string;
  /** What left the source. */
  readonly sent: bigint;
  /** What the recipient got of it. */
  readonly arrived: bigint;
}

/** What left an account, or its token accounts, for somebody else. */
export function payments(transaction: ReadTransaction, owner: string): readonly Payment[] {
  return transfersOf(transaction).flatMap((transfer) => {
    const { from, to, amount, kind } = transfer;
    if (kind === 'native') {
      return from === owner && to !== owner ? [{ currency: NATIVE, recipient: to, sent: amount, arrived: amount }] : [];
    }
    const source = transaction.tokens.get(from);
    const target = transaction.tokens.get(to);
    if (source?.owner !== owner || target === undefined || target.owner === owner) return [];
    return [
      { currency: target.mint, recipient: target.owner, sent: amount, arrived: arrivedOf(transaction, transfer) },
    ];
  });
}

/** What a mint with a fee leaves of a transfer; told by the balance where nothing else moved it. */
function arrivedOf(transaction: ReadTransaction, { to, amount }: Transfer): bigint {
  const change = transaction.tokens.get(to);
  const others = transfersOf(transaction).filter((other) => other.to === to || other.from === to).length > 1;
  if (change === undefined || others) return amount;
  return change.after - change.before;
}

/** Orders that a transaction of the solver filled. */
export function filledOrders(solver: Solver, transaction: ReadTransaction): readonly OrderId[] {
  if (!transaction.ok || transaction.payer !== solver.fill || payments(transaction, solver.fill).length === 0)
    return [];
  return memosOf(transaction).flatMap((memo) => orderIdOf(memo) ?? []);
}

/** Lamports that the transaction cost its payer beyond what it moved: fees, and accounts that it opened. */
export function feeOf(transaction: ReadTransaction): bigint {
  const { payer, lamports } = transaction;
  const { before = 0n, after = 0n } = lamports.get(payer) ?? {};
  const moved = transaction.ok
    ? transfersOf(transaction)
        // What a program moved to open an account is part of the cost.
        .filter(({ kind, path }) => kind === 'native' && !path.includes('.'))
        .reduce((sum, { from, to, amount }) => sum + (from === payer ? amount : 0n) - (to === payer ? amount : 0n), 0n)
    : 0n;
  return before - after - moved;
}
