import { type LegEffect, type LegInstruction, type OrderId, writtenOrderId } from '@causeway/core';
import { NATIVE, parseAddress } from './addresses.js';
import { isMemoProgram } from './programs.js';
import { associatedAccount } from './token-accounts.js';
import type { Solver } from './transactions/build.js';
import type { Instruction, ReadTransaction } from './transactions/read.js';
import { memosOf, type Transfer, transfersOf } from './transactions/transfers.js';

/**
 * What a leg did, read from the transaction itself, never from our intention: a transfer of the leg's currency from its
 * pot to its recipient, of no less than was owed, before the memo that names it.
 *
 * Invariant: the recipient of a token is told by the address of the account, which is derived from the recipient (associated
 * account), and never by the account's owner at that time: owners change, and tokens sent to that address are gone for good.
 */
export function legEffect(solver: Solver, transaction: ReadTransaction, leg: LegInstruction): LegEffect {
  const none = { legId: leg.legId, done: false, moved: 0n };
  if (!transaction.ok) return none;
  const paid = named(solver, transaction, leg).find(
    ({ currency, recipient, sent, arrived }) =>
      currency === leg.currency &&
      // guard: svm-fill-recipient
      recipient === leg.recipient &&
      // An order is owed what arrives; of a deposit nobody is owed what its mint keeps on the way back.
      (leg.kind === 'fill' ? arrived : sent) >= leg.amount,
  );
  if (paid === undefined) return none;
  const { sent: moved, arrived } = paid;
  const kept = leg.kind === 'collect' && arrived < moved;
  return { legId: leg.legId, done: true, moved, ...(kept ? { arrived } : {}) };
}

/**
 * What a transaction that names a leg paid for it: to its recipient, if to anybody. `doubtful` where it paid somebody, but not
 * where it names the leg, as a message of several that is not of our making may.
 */
export function paymentOf(
  solver: Solver,
  transaction: ReadTransaction,
  leg: LegInstruction,
): { readonly payment: Payment; readonly doubtful: boolean } | undefined {
  const isOf = ({ currency }: Payment): boolean => currency === leg.currency;
  const own = named(solver, transaction, leg).filter(isOf);
  const best = own.find(({ recipient }) => recipient === leg.recipient) ?? own[0];
  if (best !== undefined) return { payment: best, doubtful: false };
  const other = payments(transaction, sourceOf(solver, leg), undefined, leg.recipient).find(isOf);
  return other && { payment: other, doubtful: true };
}

function sourceOf({ fill, vault }: Solver, leg: LegInstruction): string {
  return leg.kind === 'fill' ? fill : vault;
}

/** Payments out of a leg's pot that the memo of the leg stands for. */
function named(solver: Solver, transaction: ReadTransaction, leg: LegInstruction): readonly Payment[] {
  const source = sourceOf(solver, leg);
  return partsOf(transaction)
    .filter(({ memo }) => memo === memoOf(leg))
    .flatMap(({ instructions }) => payments(transaction, source, instructions, leg.recipient));
}

/** The instructions that each memo stands for: those between the one before it and itself, or all where there is one. */
function partsOf(
  transaction: ReadTransaction,
): readonly { readonly memo: string; readonly instructions: readonly Instruction[] }[] {
  const { instructions } = transaction;
  const places = instructions.flatMap(({ program }, n) => (isMemoProgram(program) ? [n] : []));
  return places.map((place, n) => ({
    memo: memosOf({ instructions: instructions.slice(place, place + 1) })
      .join('')
      .trim()
      .toLowerCase(),
    instructions: places.length === 1 ? instructions : instructions.slice(n === 0 ? 0 : places[n - 1], place),
  }));
}

/** The text by which the chain's history names a leg. */
export function memoOf(leg: LegInstruction): string {
  return (leg.kind === 'fill' ? leg.orderId : leg.useKey).toLowerCase();
}

export interface Payment {
  readonly currency: string;
  /** Whose associated account was paid, where that was asked about; else the account itself, as for the native coin. */
  readonly recipient: string;
  /** What left the source. */
  readonly sent: bigint;
  /** What the recipient got of it. */
  readonly arrived: bigint;
}

/**
 * What left an account, or its associated accounts, for another one.
 *
 * @param part of its instructions; absent: all of them.
 * @param recipient whose associated accounts are told under its own name.
 */
function payments(
  transaction: ReadTransaction,
  owner: string,
  part: readonly Instruction[] = transaction.instructions,
  recipient?: string,
): readonly Payment[] {
  const asked = recipient !== undefined && parseAddress(recipient).ok ? recipient : undefined;
  return transfersOf({ instructions: part }).flatMap((transfer) => {
    const { from, to, amount, kind, program } = transfer;
    if (kind === 'native') {
      return from === owner && to !== owner ? [{ currency: NATIVE, recipient: to, sent: amount, arrived: amount }] : [];
    }
    const mint = transaction.tokens.get(from)?.mint;
    if (mint === undefined || from === to || from !== associatedAccount(mint, owner, program)) return [];
    const isTheirs =
      asked !== undefined && /* guard: svm-address-of-owner */ to === associatedAccount(mint, asked, program);
    const arrived = arrivedOf(transaction, transfer);
    return [{ currency: mint, recipient: isTheirs ? asked : to, sent: amount, arrived }];
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
  return memosOf(transaction).flatMap((memo) => writtenOrderId(memo) ?? []);
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
