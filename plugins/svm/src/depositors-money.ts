import type { DepositObservation } from '@causeway/core';
import type { Provider } from '@causeway/core/rpc';
import { depositorOf } from './depositor.js';
import { arrivalsOf, ownedAlong } from './paid-alone.js';
import { fetchShown } from './transactions/fetch.js';
import type { ReadTransaction } from './transactions/read.js';
import type { Transfer } from './transactions/transfers.js';
import type { Vault } from './watch/read-deposits.js';
import { remaindersOf } from './watch/remainders.js';

/**
 * See `ChainAdapter.isDepositorsMoney`.
 *
 * Invariant: proven only for a signer who lost everything that the vault gained: no other deposit arrived, and each
 * source account was the signer's before and after, with a balance lower by that amount. Value that another party
 * added on the way may be in transit. The fee payer is irrelevant.
 *
 * @throws TransportError where the provider does not show the transaction.
 */
export async function isDepositorsMoney(
  vault: Vault,
  { rpc }: Provider,
  { transactionHash, depositor }: Pick<DepositObservation, 'transactionHash' | 'depositor'>,
): Promise<boolean> {
  const transaction = await fetchShown(rpc, transactionHash);
  if (!transaction.ok || !transaction.signers.includes(depositor)) return false;
  // guard: svm-depositors-money-remainder
  if (remaindersOf(vault, transaction).length > 0) return false;
  const arrivals = arrivalsOf(vault, transaction);
  const isTheirs = (each: Transfer): boolean =>
    depositorOf(transaction, each) === depositor &&
    /* guard: svm-depositors-money-owner */ ownedAlong(transaction, each, depositor);
  return (
    arrivals.length > 0 && arrivals.every(isTheirs) && arrivals.every((each) => isLost(transaction, arrivals, each))
  );
}

/** Whether the source account lost all that it sent to the vault. */
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
