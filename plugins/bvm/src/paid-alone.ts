import type { DepositObservation } from '@causeway/core';
import { scriptAddress } from './addresses.js';
import type { Network } from './network.js';
import { isCoinbase } from './raw/transaction.js';
import { located } from './rpc/located.js';
import { type Node, readTransaction, ViewMoved } from './rpc/node.js';
import { prevouts } from './rpc/prevouts.js';

/**
 * Whether all outputs that a transaction spent belonged to one address, the depositor's: see `ChainAdapter.paidAlone`.
 *
 * Invariant: a transaction of several parties spends outputs of several scripts, and the name in a memo proves nothing. Not
 * guaranteed: that the address belongs to one person; custodians pay the money of many customers out of one address.
 *
 * @throws ViewMoved where the node cannot say it, which is no proof of the opposite.
 */
export async function paidAlone(
  node: Node,
  network: Network,
  { transactionHash, depositor }: Pick<DepositObservation, 'transactionHash' | 'depositor'>,
): Promise<boolean> {
  const found = await located(node, transactionHash);
  if (found === undefined) throw new ViewMoved(`transaction ${transactionHash} cannot be told`);
  const tx = readTransaction(found.hex, transactionHash);
  if (isCoinbase(tx)) return false;
  const spent = await prevouts(node, tx, found.blockhash);
  return spent.every(({ script }) => scriptAddress(script, network) === depositor);
}
