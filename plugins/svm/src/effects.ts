import { type LegEffect, type LegInstruction, type OrderId, writtenOrderId } from '@causeway/core';
import { NATIVE, parseAddress } from './addresses.js';
import { isMemoProgram } from './programs.js';
import { associatedAccount } from './token-accounts.js';
import type { Solver } from './transactions/build.js';
import type { Instruction, ReadTransaction } from './transactions/read.js';
import { memosOf, type Transfer, transfersOf } from './transactions/transfers.js';

/**
 * Read from the transaction itself: a transfer of the leg's currency from its pot to its recipient, of at least the
 * owed amount, before the memo that names it.
 *
 * Invariant: a token's recipient is identified by the associated account's address, never by the account's owner at
 * that time: owners change, and tokens sent to that address are lost permanently.
 */
export function legEffect(solver: Solver, transaction: ReadTransaction, leg: LegInstruction): LegEffect {
  const none = { legId: leg.legId, done: false, moved: 0n };
  if (!transaction.ok) return none;
  const paid = named(solver, transaction, leg).find(
    ({ currency, recipient, sent, arrived }) =>
      currency === leg.currency &&
      // guard: svm-fill-recipient
      recipient === leg.recipient &&
      // An order is owed what arrives; for a refund the transfer fee on the way back is not owed.
      (leg.kind === 'fill' ? arrived : sent) >= leg.amount,
  );
  if (paid === undefined) return none;
  const { sent: moved, arrived } = paid;
  const kept = (leg.kind === 'collect' || leg.kind === 'sweep') && arrived < moved;
  return { legId: leg.legId, done: true, moved, ...(kept ? { arrived } : {}) };
}

/**
 * Payment for a leg that a transaction names. `doubtful`: it paid, but not at the leg's memo, as a foreign message
 * with several legs may.
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
  if (leg.kind === 'sweep') return leg.from.address;
  return leg.kind === 'fill' ? fill : vault;
}

/** Payments from a leg's pot that its memo covers. */
function named(solver: Solver, transaction: ReadTransaction, leg: LegInstruction): readonly Payment[] {
  const source = sourceOf(solver, leg);
  return partsOf(transaction)
    .filter(({ memo }) => memo === memoOf(leg))
    .flatMap(({ instructions }) => payments(transaction, source, instructions, leg.recipient));
}

/** A memo covers the instructions since the previous memo; a single memo covers all. */
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

export function memoOf(leg: LegInstruction): string {
  return (leg.kind === 'fill' ? leg.orderId : leg.useKey).toLowerCase();
}

export interface Payment {
  readonly currency: string;
  /** Owner of the paid associated account if requested; else the account itself, as for the native coin. */
  readonly recipient: string;
  /** Debited from the source. */
  readonly sent: bigint;
  /** Credited to the recipient. */
  readonly arrived: bigint;
}

/**
 * Transfers from an account or its associated accounts to others.
 *
 * @param part of its instructions; absent: all of them.
 * @param recipient reported in place of its associated accounts.
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

/** Amount after a transfer fee; from the balances where nothing else moved it. */
function arrivedOf(transaction: ReadTransaction, { to, amount }: Transfer): bigint {
  const change = transaction.tokens.get(to);
  const others = transfersOf(transaction).filter((other) => other.to === to || other.from === to).length > 1;
  if (change === undefined || others) return amount;
  return change.after - change.before;
}

export function filledOrders(solver: Solver, transaction: ReadTransaction): readonly OrderId[] {
  if (!transaction.ok || transaction.payer !== solver.fill || payments(transaction, solver.fill).length === 0)
    return [];
  return memosOf(transaction).flatMap((memo) => writtenOrderId(memo) ?? []);
}

/**
 * Lamports that the payer lost beyond transfers: fees, and rent of opened accounts. All that a sweep moves from and to
 * its payer is rent: negative where it takes back more than it pays.
 */
export function feeOf({ sweeper }: Pick<Solver, 'sweeper'>, transaction: ReadTransaction): bigint {
  const { payer, lamports } = transaction;
  const { before = 0n, after = 0n } = lamports.get(payer) ?? {};
  if (payer === sweeper) return before - after;
  const moved = transaction.ok
    ? transfersOf(transaction)
        // Coins that a program moved to open an account are part of the cost.
        .filter(({ kind, path }) => kind === 'native' && !path.includes('.'))
        .reduce((sum, { from, to, amount }) => sum + (from === payer ? amount : 0n) - (to === payer ? amount : 0n), 0n)
    : 0n;
  return before - after - moved;
}
