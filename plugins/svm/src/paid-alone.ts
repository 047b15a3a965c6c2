import type { DepositObservation } from '@causeway/core';
import { type Provider, TransportError } from '@causeway/core/rpc';
import { depositorOf } from './depositor.js';
import { fetchTransaction, wholeTransaction } from './transactions/fetch.js';
import type { ReadTransaction } from './transactions/read.js';
import { type Transfer, transfersOf } from './transactions/transfers.js';
import { arrivesAt, type Vault } from './watch/read-deposits.js';

/**
 * See `ChainAdapter.paidAlone`.
 *
 * Invariant: proven is only who paid the fee of the transaction, which takes its signature, and owned what was spent before
 * it began and when it was over. An account that was opened within the transaction may have been filled by anybody, and one
 * that changed hands within it names nobody.
 *
 * @throws TransportError where the provider does not show the transaction.
 */
export async function paidAlone(
  vault: Vault,
  { rpc }: Provider,
  { transactionHash, depositor }: Pick<DepositObservation, 'transactionHash' | 'depositor'>,
): Promise<boolean> {
  const raw = await fetchTransaction(rpc, transactionHash);
  if (raw === undefined) throw new TransportError(`${transactionHash} is not shown`, 'malformed');
  const transaction = wholeTransaction(raw);
  if (!transaction.ok || transaction.payer !== depositor) return false;
  const theirs = transfersOf(transaction).filter(
    (each) => each.from !== each.to && arrivesAt(vault, each) && depositorOf(transaction, each) === depositor,
  );
  return theirs.length > 0 && theirs.every((each) => ownedAlong(transaction, each, depositor));
}

/** Whether what was spent was the depositor's all along. */
function ownedAlong({ tokens }: ReadTransaction, { kind, from }: Transfer, depositor: string): boolean {
  if (kind === 'native') return from === depositor;
  const account = tokens.get(from);
  return account?.ownerBefore === depositor && account.owner === depositor;
}
