import { TooMuchToDescribeError } from '@causeway/core';
import { RpcError } from '@causeway/core/rpc';
import type { RawTransaction } from '../raw/transaction.js';
import { satoshis } from './amounts.js';
import { ask, type Node, transaction, ViewMoved } from './node.js';

export interface Prevout {
  readonly value: bigint;
  readonly script: Buffer;
}

interface VerboseInput {
  readonly prevout?: { readonly value: number; readonly scriptPubKey: { readonly hex: string } };
}

interface Unspent {
  readonly value: number;
  readonly scriptPubKey: { readonly hex: string };
}

/** Nodes that do not report spent outputs of confirmed transactions. */
const mute = new WeakSet<object>();

/** Up to this many parent lookups are cheaper than reading a block with its undo data. */
const MAX_PARENT_LOOKUPS = 8;

/**
 * What the inputs spend, in order. Not for coinbases.
 *
 * Mempool inputs are unspent outputs of chain or mempool. Confirmed parents come from the index (`txindex=1`); for
 * many parents, or without an index, newer nodes return undo data.
 *
 * @param block that has the transaction; null: mempool.
 * @param mostParents read one by one at most. Each may have megabytes.
 * @throws ViewMoved if an output is unknown, as when an index lags; TooMuchToDescribeError above `mostParents`.
 */
export async function prevouts(
  node: Node,
  tx: RawTransaction,
  block: string | null,
  mostParents = Number.POSITIVE_INFINITY,
): Promise<readonly Prevout[]> {
  const parents = new Set(tx.inputs.map(({ txid }) => txid));
  const byParents = () => fromParents(node, tx, parents, mostParents);
  const byBlock = () => (block === null ? fromUnspent(node, tx) : fromBlock(node, tx, block));
  const steps = block !== null && parents.size <= MAX_PARENT_LOOKUPS ? [byParents, byBlock] : [byBlock, byParents];
  let reported: Reported = [];
  for (const step of steps) {
    const more = await step();
    const before = reported;
    reported = tx.inputs.map((_, n) => before[n] ?? more[n]);
    if (!reported.includes(undefined)) break;
  }
  return tx.inputs.map(({ txid, vout }, n) => {
    const found = reported[n];
    if (found === undefined) throw new ViewMoved(`output ${txid}:${vout} cannot be found`);
    return found;
  });
}

type Reported = readonly (Prevout | undefined)[];

async function fromBlock(node: Node, tx: RawTransaction, block: string): Promise<Reported> {
  if (mute.has(node.rpc)) return [];
  try {
    const { vin } = await ask<{ readonly vin: readonly VerboseInput[] }>(node, 'getrawtransaction', [
      tx.txid,
      2,
      block,
    ]);
    if (vin.some(({ prevout }) => prevout === undefined)) throw new RpcError('no prevouts', 0, undefined);
    return vin.map(({ prevout }) => (prevout === undefined ? undefined : read(prevout)));
  } catch (error) {
    if (!(error instanceof RpcError)) throw error;
    // Older nodes reject or ignore the verbosity. Other errors recur in the parent lookups.
    if (error.code !== -5) mute.add(node.rpc);
    return [];
  }
}

async function fromUnspent(node: Node, tx: RawTransaction): Promise<Reported> {
  const answers = await Promise.all(
    tx.inputs.map(({ txid, vout }) => ask<Unspent | null>(node, 'gettxout', [txid, vout, false])),
  );
  return answers.map((one) => (one === null ? undefined : read(one)));
}

async function fromParents(
  node: Node,
  tx: RawTransaction,
  parents: ReadonlySet<string>,
  most: number,
): Promise<Reported> {
  // guard: bvm-parents-read
  if (parents.size > most) throw new TooMuchToDescribeError(`${tx.txid} has ${parents.size} parents`);
  const names = [...parents];
  const found = await Promise.all(names.map((txid) => transaction(node, txid)));
  const read = new Map(names.map((txid, n) => [txid, found[n]]));
  return tx.inputs.map(({ txid, vout }) => read.get(txid)?.outputs[vout]);
}

function read({ value, scriptPubKey }: Unspent): Prevout {
  return { value: satoshis(value), script: Buffer.from(scriptPubKey.hex, 'hex') };
}
