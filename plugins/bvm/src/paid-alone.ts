import type { DepositObservation } from '@causeway/core';
import { scriptAddress } from './addresses.js';
import type { Network } from './network.js';
import { isCoinbase } from './raw/transaction.js';
import { located } from './rpc/located.js';
import { type Node, readTransaction, ViewMoved } from './rpc/node.js';
import { prevouts } from './rpc/prevouts.js';

/**
 * Whether all spent outputs belonged to the depositor's address: see `ChainAdapter.paidAlone`.
 *
 * Invariant: a memo proves nothing, and a transaction of several parties spends outputs of several scripts. Not
 * guaranteed: that the address belongs to one person; custodians pay for many customers from one address.
 *
 * @throws ViewMoved if the node cannot answer, which proves nothing.
 */
export async function paidAlone(
  node: Node,
  network: Network,
  { transactionHash, depositor }: Pick<DepositObservation, 'transactionHash' | 'depositor'>,
): Promise<boolean> {
  const found = await located(node, transactionHash);
  if (found === undefined) throw new ViewMoved(`transaction ${transactionHash} cannot be found`);
  const tx = readTransaction(found.hex, transactionHash);
  if (isCoinbase(tx)) return false;
  const spent = await prevouts(node, tx, found.blockhash);
  return spent.every(({ script }) => scriptAddress(script, network) === depositor);
}
