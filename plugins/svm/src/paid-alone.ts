import type { DepositObservation } from '@causeway/core';
import type { Provider } from '@causeway/core/rpc';
import { depositorOf } from './depositor.js';
import { fetchShown } from './transactions/fetch.js';
import type { ReadTransaction } from './transactions/read.js';
import { type Transfer, transfersOf } from './transactions/transfers.js';
import { arrivesAt, type Vault } from './watch/read-deposits.js';

/**
 * See `ChainAdapter.paidAlone`.
 *
 * Invariant: a depositor is proven only if it paid the fee, which takes its signature, and owned the source account
 * before and after. An account opened within the transaction may be funded by anyone; one that changed owner or
 * closed proves nothing.
 *
 * @throws TransportError where the provider does not show the transaction.
 */
export async function paidAlone(
  vault: Vault,
  { rpc }: Provider,
  { transactionHash, depositor }: Pick<DepositObservation, 'transactionHash' | 'depositor'>,
): Promise<boolean> {
  const transaction = await fetchShown(rpc, transactionHash);
  if (!transaction.ok || transaction.payer !== depositor) return false;
  const theirs = arrivalsOf(vault, transaction).filter((each) => depositorOf(transaction, each) === depositor);
  return (
    theirs.length > 0 && /* guard: svm-sole-payer */ theirs.every((each) => ownedAlong(transaction, each, depositor))
  );
}

export function arrivalsOf(vault: Vault, transaction: ReadTransaction): readonly Transfer[] {
  return transfersOf(transaction).filter((each) => each.from !== each.to && arrivesAt(vault, each));
}

/** Whether the depositor owned the source account before and after. */
export function ownedAlong({ tokens }: ReadTransaction, { kind, from }: Transfer, depositor: string): boolean {
  if (kind === 'native') return from === depositor;
  const account = tokens.get(from);
  return account?.ownerBefore === depositor && account.ownerAfter === depositor;
}
