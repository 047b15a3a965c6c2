import { type Outpoint, outpointName } from '../funding-key.js';
import type { RawTransaction } from '../raw/transaction.js';
import { satoshis } from '../rpc/amounts.js';
import { ask, type Node, ViewMoved } from '../rpc/node.js';
import type { CoinRef } from '../transactions/draft.js';
import { type Located, locate } from '../transactions/locate.js';
import { laneHistory } from './history.js';
import type { LaneState } from './lane-state.js';
import type { PaidLeg } from './legs-done.js';

/** What became of a deposit's output, at the node's head. */
export type Trail =
  /** What is left of it, in one output: the deposit's own, or the rest that a transaction of the lane gave back. */
  | { readonly is: 'there'; readonly coin: CoinRef }
  /** A transaction of the lane did the leg that is asked about. */
  | { readonly is: 'paid'; readonly by: Located; readonly paid: PaidLeg }
  /** All of it was paid out, and not by that leg. */
  | { readonly is: 'spent' }
  /** It is on no block of the node's chain. */
  | { readonly is: 'gone' };

export interface TrailDeps {
  readonly lane: { readonly script: Buffer };
  readonly depository: { readonly script: Buffer };
  readonly state: LaneState;
}

interface Unspent {
  readonly value: number;
  readonly scriptPubKey: { readonly hex: string };
}

/**
 * Follows a deposit from its own output along what transactions of the lane gave back of it.
 *
 * Invariant: only the allocator's key spends an output of the depository, and it signs nothing but transactions of the lane.
 *
 * @param paidBy what a transaction did of the movement in question: the trail ends where it was made.
 * @throws ViewMoved where the outputs do not fit together, as while the chain moves.
 */
export async function followDeposit(
  deps: TrailDeps,
  node: Node,
  deposit: Outpoint,
  paidBy: (tx: RawTransaction) => PaidLeg | undefined,
): Promise<Trail> {
  const own = await unspent(deps, node, deposit);
  if (own !== undefined) return { is: 'there', coin: own };
  const made = await locate(node, deposit.txid);
  if (made?.block == null) return { is: 'gone' };
  const spenders = await spendersSince(deps, node, made.block.timestamp);
  for (let at = deposit; ; ) {
    const by = spenders.get(outpointName(at));
    if (by === undefined) throw new ViewMoved(`what spent ${outpointName(at)} is not found`);
    const paid = paidBy(by.tx);
    if (paid !== undefined) return { is: 'paid', by, paid };
    const vout = by.tx.outputs.findLastIndex(({ script }) => script.equals(deps.depository.script));
    if (vout < 0) return { is: 'spent' };
    at = { txid: by.tx.txid, vout };
    const rest = await unspent(deps, node, at);
    if (rest !== undefined) return { is: 'there', coin: rest };
  }
}

/** An output of the depository that no block has spent; undefined for any other. */
async function unspent({ depository }: TrailDeps, node: Node, { txid, vout }: Outpoint): Promise<CoinRef | undefined> {
  const told = await ask<Unspent | null>(node, 'gettxout', [txid, vout, false]);
  if (told === null || told.scriptPubKey.hex !== depository.script.toString('hex')) return undefined;
  return { txid, vout, value: satoshis(told.value) };
}

/** Transactions of the lane in blocks, by what they spend. */
async function spendersSince(deps: TrailDeps, node: Node, since: number): Promise<ReadonlyMap<string, Located>> {
  const found = new Map<string, Located>();
  for await (const { tx, block } of laneHistory(node, deps.lane, deps.state, since)) {
    if (block === null) continue;
    for (const input of tx.inputs) found.set(outpointName(input), { tx, block });
  }
  return found;
}
