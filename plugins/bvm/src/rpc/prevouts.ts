import { RpcError } from '@causeway/core/rpc';
import type { RawTransaction } from '../raw/transaction.js';
import { satoshis } from './amounts.js';
import { ask, type Node, transaction, ViewMoved } from './node.js';

/** What an input spends. */
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

/** Nodes that do not tell what the inputs of a transaction in a block spent. */
const mute = new WeakSet<object>();

/** Looking up so many parents costs a node less than reading a block with what it spent. */
const FEW = 8;

/**
 * What the inputs of a transaction spend, in their order. Not for coinbases.
 *
 * Of one in the pool, the outputs are unspent on the chain, or of another one in the pool. Of one in a block, the parents
 * are in the index (`txindex=1`); where there are many, or an index is missing or behind, newer nodes tell from what they
 * keep to undo the block.
 *
 * @param block the block that has it; null for one in the pool.
 * @throws ViewMoved where an output cannot be told (yet): an index may be a moment behind.
 */
export async function prevouts(node: Node, tx: RawTransaction, block: string | null): Promise<readonly Prevout[]> {
  const parents = new Set(tx.inputs.map(({ txid }) => txid));
  const byParents = () => fromParents(node, tx);
  const byBlock = () => (block === null ? fromUnspent(node, tx) : fromBlock(node, tx, block));
  const steps = block !== null && parents.size <= FEW ? [byParents, byBlock] : [byBlock, byParents];
  let told: Told = [];
  for (const step of steps) {
    const more = await step();
    const before = told;
    told = tx.inputs.map((_, n) => before[n] ?? more[n]);
    if (!told.includes(undefined)) break;
  }
  return tx.inputs.map(({ txid, vout }, n) => {
    const found = told[n];
    if (found === undefined) throw new ViewMoved(`output ${txid}:${vout} cannot be told`);
    return found;
  });
}

type Told = readonly (Prevout | undefined)[];

async function fromBlock(node: Node, tx: RawTransaction, block: string): Promise<Told> {
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
    // Older nodes do not know the word for it, or leave it out. What is wrong otherwise shows when the parents are asked for.
    if (error.code !== -5) mute.add(node.rpc);
    return [];
  }
}

async function fromUnspent(node: Node, tx: RawTransaction): Promise<Told> {
  const answers = await Promise.all(
    tx.inputs.map(({ txid, vout }) => ask<Unspent | null>(node, 'gettxout', [txid, vout, false])),
  );
  return answers.map((one) => (one === null ? undefined : read(one)));
}

async function fromParents(node: Node, tx: RawTransaction): Promise<Told> {
  const names = [...new Set(tx.inputs.map(({ txid }) => txid))];
  const found = await Promise.all(names.map((txid) => transaction(node, txid)));
  const parents = new Map(names.map((txid, n) => [txid, found[n]]));
  return tx.inputs.map(({ txid, vout }) => parents.get(txid)?.outputs[vout]);
}

function read({ value, scriptPubKey }: Unspent): Prevout {
  return { value: satoshis(value), script: Buffer.from(scriptPubKey.hex, 'hex') };
}
