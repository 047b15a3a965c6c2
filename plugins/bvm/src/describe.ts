import { BalanceChanges, type TransactionEntry } from '@causeway/core';
import { isHash, NATIVE, scriptAddress, scriptName } from './addresses.js';
import type { Network } from './network.js';
import { isCoinbase, type RawOutput } from './raw/transaction.js';
import { located } from './rpc/located.js';
import { header, type Node, readTransaction } from './rpc/node.js';
import { type Prevout, prevouts } from './rpc/prevouts.js';
import { returnData } from './watch/carried.js';

/** Further inputs or outputs are only counted. */
const MAX_LISTED = 100;
/** Up to 100 MB on nodes that do not report spent outputs. */
const MAX_PARENTS = 100;
const MAX_SAID = 1_024;

/**
 * Undefined until the transaction is in a block.
 *
 * @throws TooMuchToDescribeError; ViewMoved after a reorg meanwhile.
 */
export async function describeTransaction(
  node: Node,
  chainId: number,
  network: Network,
  hash: string,
): Promise<TransactionEntry | undefined> {
  const txid = hash.toLowerCase();
  if (!isHash(txid)) return undefined;
  const found = await located(node, txid);
  if (found === undefined) return undefined;
  const tx = readTransaction(found.hex, txid);
  const block = await header(node, found.blockhash);
  // The index includes stale blocks.
  if (block === undefined || block.confirmations < 1) return undefined;
  const spent = isCoinbase(tx) ? [] : await prevouts(node, tx, found.blockhash, MAX_PARENTS);
  const paid = sum(tx.outputs);
  return {
    txHash: txid,
    fee: (isCoinbase(tx) ? 0n : sum(spent) - paid).toString(),
    block: block.height,
    type: 'onchain',
    chainId,
    timestamp: block.time,
    status: 'success',
    data: {
      from: spent[0] === undefined ? null : nameOf(spent[0], network),
      inputs: spent.slice(0, MAX_LISTED).map((one, n) => ({ ...outpoint(tx.inputs[n]), ...shown(one, network) })),
      inputCount: tx.inputs.length,
      outputs: tx.outputs.slice(0, MAX_LISTED).map((one) => shown(one, network)),
      outputCount: tx.outputs.length,
    },
    ...stateChanges(spent, tx.outputs, network).listed(() => true),
  };
}

/** By address; the payer's loss includes the fee. Scripts without an address are left out. */
function stateChanges(spent: readonly Prevout[], outputs: readonly RawOutput[], network: Network): BalanceChanges {
  const changes = new BalanceChanges();
  const add = ({ script }: { readonly script: Buffer }, value: bigint): void => {
    const address = scriptAddress(script, network);
    if (address !== undefined) changes.add(address, NATIVE, value);
  };
  for (const one of spent) add(one, -one.value);
  for (const one of outputs) add(one, one.value);
  return changes;
}

function shown({ value, script }: RawOutput, network: Network): object {
  const data = returnData(script);
  if (data !== undefined) return { value: value.toString(), data: data.toString('hex', 0, MAX_SAID) };
  return { value: value.toString(), address: nameOf({ script }, network) };
}

function nameOf({ script }: { readonly script: Buffer }, network: Network): string {
  return scriptName(script, network);
}

function outpoint(input: { readonly txid: string; readonly vout: number } | undefined): object {
  return input === undefined ? {} : { txid: input.txid, vout: input.vout };
}

function sum(list: readonly { readonly value: bigint }[]): bigint {
  return list.reduce((total, { value }) => total + value, 0n);
}
