import type { DepositObservation } from '@causeway/core';
import type { Provider } from '@causeway/core/rpc';
import { depositorOf } from './depositor.js';
import { arrivalsOf, ownedAlong } from './paid-alone.js';
import { fetchShown } from './transactions/fetch.js';
import type { ReadTransaction } from './transactions/read.js';
import type { Transfer } from './transactions/transfers.js';
import type { Vault } from './watch/read-deposits.js';

/**
 * See `ChainAdapter.isOwnMoney`.
 *
 * Invariant: proven is only who signed the transaction and is poorer by all that the vault got with it: nothing else arrived
 * there, and each account that it left was theirs before the transaction began and when it was over, and holds that much less.
 * What somebody else put there on the way may have been meant to pass through, and is nobody's for certain. Who paid the fee
 * does not count.
 *
 * @throws TransportError where the provider does not show the transaction.
 */
export async function isOwnMoney(
  vault: Vault,
  { rpc }: Provider,
  { transactionHash, depositor }: Pick<DepositObservation, 'transactionHash' | 'depositor'>,
): Promise<boolean> {
  const transaction = await fetchShown(rpc, transactionHash);
  if (!transaction.ok || !transaction.signers.includes(depositor)) return false;
  const arrivals = arrivalsOf(vault, transaction);
  const isTheirs = (each: Transfer): boolean =>
    depositorOf(transaction, each) === depositor &&
    /* guard: svm-own-money-owner */ ownedAlong(transaction, each, depositor);
  return (
    arrivals.length > 0 && arrivals.every(isTheirs) && arrivals.every((each) => isLost(transaction, arrivals, each))
  );
}

/** Whether the account that a transfer left holds less by all that it gave to the vault. */
function isLost(
  { lamports, tokens }: ReadTransaction,
  arrivals: readonly Transfer[],
  { kind, from }: Transfer,
): boolean {
  const held = (kind === 'native' ? lamports : tokens).get(from);
  const given = arrivals
    .filter((each) => each.kind === kind && each.from === from)
    .reduce((sum, { amount }) => sum + amount, 0n);
  return held !== undefined && held.before - held.after >= given;
}
