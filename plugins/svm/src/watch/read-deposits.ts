import type { BlockRef, ChainId, DepositObservation, FundingKey, Hex } from '@causeway/core';
import { NATIVE, orderIdOf } from '../addresses.js';
import type { ReadTransaction } from '../transactions/read.js';
import { memosOf, type Transfer, transfersOf } from '../transactions/transfers.js';

/** Where deposits arrive. */
export interface Vault {
  readonly chainId: ChainId;
  /** Takes the native coin, and owns the token accounts. */
  readonly address: string;
}

/**
 * The funding transfers of one transaction. Only one transfer beside one memo names an order: of two transfers nobody can
 * say which one the memo means, and of two memos which one the payer meant.
 */
export function readDeposits(
  vault: Vault,
  transaction: ReadTransaction,
  state: 'included' | 'final',
  block: BlockRef,
): readonly DepositObservation[] {
  if (!transaction.ok) return [];
  const arrivals = transfersOf(transaction).filter(
    (each) => each.from !== each.to && arrivesAt(vault, transaction, each),
  );
  const memos = memosOf(transaction);
  const orderId = arrivals.length === 1 && memos.length === 1 ? named(memos[0]) : null;
  const amounts = arrived(transaction, arrivals);
  return arrivals.flatMap((transfer) => {
    const amount = amounts.get(transfer.path) ?? 0n;
    if (amount === 0n) return [];
    const token = transfer.kind === 'token' ? transaction.tokens.get(transfer.to) : undefined;
    return {
      fundingKey: fundingKey(vault.chainId, transaction.signature, transfer.path),
      chainId: vault.chainId,
      transactionHash: transaction.signature,
      currency: token?.mint ?? NATIVE,
      amount,
      depositor: transaction.tokens.get(transfer.from)?.owner || transfer.from,
      orderId,
      depositAddress: null,
      state,
      block,
    };
  });
}

/** The path stays the same wherever the transaction is included: its instructions are signed. */
export function fundingKey(chainId: ChainId, signature: string, path: string): FundingKey {
  return `${chainId}:${signature}:${path}`;
}

/** Lamports that are sent to a token account of the vault are none of its tokens, and pay for nothing. */
function arrivesAt({ address }: Vault, { tokens }: ReadTransaction, { kind, to }: Transfer): boolean {
  return kind === 'native' ? to === address : tokens.get(to)?.owner === address;
}

function named(memo: string | undefined): Hex | null {
  return (memo === undefined ? undefined : orderIdOf(memo)) ?? null;
}

/** What arrived with each transfer, by path: with tokens, what is left of it after fees that their mint keeps. */
function arrived({ tokens }: ReadTransaction, arrivals: readonly Transfer[]): ReadonlyMap<string, bigint> {
  const amounts = new Map(arrivals.map(({ path, amount }) => [path, amount]));
  for (const account of new Set(arrivals.flatMap(({ to, kind }) => (kind === 'token' ? [to] : [])))) {
    const change = tokens.get(account);
    if (change === undefined) continue;
    const into = arrivals.filter(({ to }) => to === account);
    const sent = into.reduce((sum, { amount }) => sum + amount, 0n);
    const kept = change.after - change.before;
    if (kept === sent || sent === 0n) continue;
    // Shared out by size; what the division leaves over goes to the first, so that all is counted once.
    let rest = kept > 0n ? kept : 0n;
    for (const { path, amount } of into.slice(1)) {
      const share = kept > 0n ? (amount * kept) / sent : 0n;
      amounts.set(path, share);
      rest -= share;
    }
    const [first] = into;
    if (first !== undefined) amounts.set(first.path, rest);
  }
  return amounts;
}
