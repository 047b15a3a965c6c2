import { type Outpoint, outpointName } from '../funding-key.js';
import type { RawTransaction } from '../raw/transaction.js';
import { satoshis } from '../rpc/amounts.js';
import { ask, type Node, ViewMoved } from '../rpc/node.js';
import type { CoinRef } from '../transactions/draft.js';
import { type Located, locate } from '../transactions/locate.js';
import { laneHistory } from './history.js';
import type { LaneState } from './lane-state.js';
import type { PaidLeg } from './legs-done.js';

export type TrailCoin = CoinRef & { readonly script: Buffer };

/** At the node's head. */
export type Trail =
  /** One output holds the remainder: the deposit itself or change of a lane transaction. */
  | { readonly is: 'there'; readonly coin: TrailCoin }
  | { readonly is: 'paid'; readonly by: Located; readonly paid: PaidLeg }
  | { readonly is: 'spent' }
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
 * Follows a deposit through the change outputs of lane transactions. Change is always the depository's, also that of a
 * deposit at a deposit address.
 *
 * Invariant: only keys of the service spend deposits and their change, and they sign only lane transactions.
 *
 * @param paidBy whether a transaction did the leg, which ends the trail.
 * @throws ViewMoved for inconsistent outputs, as during a reorg.
 */
export async function followDeposit(
  deps: TrailDeps,
  node: Node,
  deposit: Outpoint,
  paidBy: (tx: RawTransaction) => PaidLeg | undefined,
): Promise<Trail> {
  const own = await unspent(node, deposit);
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
    const rest = await unspent(node, at);
    if (rest !== undefined) return { is: 'there', coin: rest };
  }
}

async function unspent(node: Node, { txid, vout }: Outpoint): Promise<TrailCoin | undefined> {
  const reported = await ask<Unspent | null>(node, 'gettxout', [txid, vout, false]);
  if (reported === null) return undefined;
  return { txid, vout, value: satoshis(reported.value), script: Buffer.from(reported.scriptPubKey.hex, 'hex') };
}

async function spendersSince(deps: TrailDeps, node: Node, since: number): Promise<ReadonlyMap<string, Located>> {
  const found = new Map<string, Located>();
  for await (const { tx, block } of laneHistory(node, deps.lane, deps.state, since)) {
    if (block === null) continue;
    for (const input of tx.inputs) found.set(outpointName(input), { tx, block });
  }
  return found;
}
