import type { UnixMs } from '@causeway/core';
import type { RawInput } from '../raw/transaction.js';
import { type Node, ViewMoved } from '../rpc/node.js';
import { serialOf } from '../transactions/anchor.js';
import { type Located, locate } from '../transactions/locate.js';
import type { LaneState } from './lane-state.js';

export interface LaneTransaction extends Located {
  readonly serial: number;
}

/** Tolerated error of miners' block times. */
const CLOCKS_MS = 7_200_000;

/**
 * All lane transactions, newest first: from the anchors back along first inputs, in mempool and blocks.
 *
 * Invariant: complete, unless an owner spent the anchor with another wallet.
 *
 * @param since older blocks are not read.
 * @throws ViewMoved if the node lacks a transaction, as during a reorg or without an index.
 */
export async function* laneHistory(
  node: Node,
  lane: { readonly script: Buffer },
  { anchors }: Pick<LaneState, 'anchors'>,
  since: UnixMs,
): AsyncGenerator<LaneTransaction> {
  const met = new Set<string>();
  for (const { coin } of anchors) {
    let next: Located | undefined = await located(node, coin.txid);
    while (next !== undefined && !met.has(next.tx.txid)) {
      const { tx, block }: Located = next;
      if (block !== null && block.timestamp < since - CLOCKS_MS) break;
      met.add(tx.txid);
      const first: RawInput | undefined = tx.inputs[0];
      const serial = serialOf(tx);
      if (first === undefined || serial === undefined) break;
      const parent: Located = await located(node, first.txid);
      const spent = parent.tx.outputs[first.vout];
      // Anyone can number a transaction and pay the lane.
      if (spent === undefined || !spent.script.equals(lane.script)) break;
      yield { tx, block, serial };
      const isAnchor: boolean = serialOf(parent.tx) !== undefined && first.vout === parent.tx.outputs.length - 1;
      next = isAnchor ? parent : undefined;
    }
  }
}

async function located(node: Node, txid: string): Promise<Located> {
  const found = await locate(node, txid);
  if (found === undefined) throw new ViewMoved(`${txid} is not there`);
  return found;
}
