import type { KeyEvidence, KeyView, LegInstruction } from '@causeway/core';
import { isTransportError, type Provider, RpcError } from '@causeway/core/rpc';
import { type AnchorKey, readKey } from './keys.js';
import type { Included, IncludedTransactions } from './lane/included.js';
import { exactOutputs } from './lane/legs-done.js';
import { type LaneDeps, type LaneView, laneView } from './lane/view.js';
import type { RawTransaction } from './raw/transaction.js';
import { ask, ViewMoved } from './rpc/node.js';
import { prevouts } from './rpc/prevouts.js';
import { sentAs } from './sent.js';
import { settledBy } from './transactions/compose.js';
import { locate } from './transactions/locate.js';

type Spent = Extract<KeyEvidence, { state: 'spent' }>;

/** Concurrent key lookups. */
const LOOK_CONCURRENCY = 8;

function unknown(why: string): KeyEvidence {
  return { state: 'unknown', why };
}

/** In memory: since when an output has been missing without a spender in the lane. */
export class Missing {
  readonly #since = new Map<string, number>();

  since(name: string, height: number): number {
    const known = this.#since.get(name);
    if (known === undefined) this.#since.set(name, height);
    return known ?? height;
  }

  found(name: string): void {
    this.#since.delete(name);
  }
}

export interface LookDeps extends LaneDeps {
  readonly missing: Missing;
  readonly included: IncludedTransactions;
}

/** Never throws: errors are `unknown`. */
export async function lookAtKeys(deps: LookDeps, keys: readonly KeyView[]): Promise<readonly KeyEvidence[]> {
  if (keys.length === 0) return [];
  try {
    return await deps.providers.run(async (provider) => {
      const view = await laneView(deps, provider);
      const answers: KeyEvidence[] = [];
      for (let from = 0; from < keys.length; from += LOOK_CONCURRENCY)
        answers.push(
          ...(await Promise.all(
            keys.slice(from, from + LOOK_CONCURRENCY).map((key) => look(deps, provider, view, key)),
          )),
        );
      const after = await ask<string>(provider, 'getbestblockhash');
      return after === view.head.hash ? answers : keys.map(() => unknown('the chain moved while being looked at'));
    });
  } catch (error) {
    if (!isTransportError(error) && !(error instanceof RpcError) && !(error instanceof ViewMoved)) throw error;
    return keys.map(() => unknown(error.message));
  }
}

async function look(deps: LookDeps, provider: Provider, view: LaneView, key: KeyView): Promise<KeyEvidence> {
  for (const { hash, legs } of key.attempts) {
    const known = await deps.included.get(provider, hash);
    if (known) return evidenceOf(deps, view, known, legs);
  }
  const own = await Promise.all(key.attempts.map(({ hash }) => locate(provider, hash)));
  for (const [n, found] of own.entries()) {
    if (found?.block == null) continue;
    const { tx, block } = found;
    const legs = key.attempts[n]?.legs ?? [];
    const cost = await costOf(deps, provider, tx, block.id, [...exactOutputs(deps.network, tx, legs).keys()]);
    const included = { tx, block, cost };
    deps.included.put(included);
    return evidenceOf(deps, view, included, legs);
  }
  // guard: bvm-own-in-pool
  if (own.some((one) => one !== undefined)) return { state: 'unspent', inPool: true };
  return absent(deps, provider, view, key);
}

function evidenceOf(
  { network, signers }: LookDeps,
  { finalHeight }: LaneView,
  { tx, block, cost }: Included,
  legs: readonly LegInstruction[],
): Spent {
  const done = exactOutputs(network, tx, legs);
  const effects = legs.map((leg) => {
    const isDone = done.has(leg);
    return { legId: leg.legId, done: isDone, moved: isDone ? leg.amount : 0n };
  });
  const [final, feePaidBy] = [block.height <= finalHeight, { pot: 'lane', owner: signers.lane.address } as const];
  return { state: 'spent', hash: tx.txid, ok: true, block, final, fee: cost, feePaidBy, effects };
}

/**
 * None of the service's transactions is in a block or mempool: the key was spent by another if the lane's anchors
 * continued without them, or if the key's output was spent.
 */
async function absent(
  deps: LookDeps,
  provider: Provider,
  view: LaneView,
  { key: text, attempts }: KeyView,
): Promise<KeyEvidence> {
  const { anchor } = view.state;
  const key = readKey(text);
  if (anchor !== undefined && anchor.serial > key.serial) {
    const other = await sentAs(deps, provider, view, key.serial);
    // If the owner interrupted the lane there, the missing output is the only evidence.
    if (other === undefined && key.outpoint !== undefined) return lost(deps, provider, view, key.outpoint);
    if (other?.block == null) return unknown(`transaction ${key.serial} of the lane is not found`);
    // The transaction index may lag behind the blocks and have caught up meanwhile.
    if (attempts.some(({ hash }) => hash === other.tx.txid)) return unknown('the node found it only now');
    return { state: 'spentByOther', final: other.block.height <= view.finalHeight };
  }
  // The output exists or its transaction is unconfirmed, as after a reorg: the service's transactions may still spend
  // it.
  if (anchor !== undefined || view.state.newest !== undefined || key.outpoint === undefined)
    return { state: 'unspent', inPool: false };
  return lost(deps, provider, view, key.outpoint);
}

/** No anchor leads to it: the key's output is unspent, or another wallet spent it. */
async function lost(
  { missing, finalityDepth }: LookDeps,
  provider: Provider,
  { head }: LaneView,
  { txid, vout }: NonNullable<AnchorKey['outpoint']>,
): Promise<KeyEvidence> {
  const name = `${txid}:${vout}`;
  const [there, made] = await Promise.all([
    ask<object | null>(provider, 'gettxout', [txid, vout, false]),
    locate(provider, txid),
  ]);
  // An unconfirmed parent may be included again.
  if (there !== null || made?.block == null) {
    missing.found(name);
    return { state: 'unspent', inPool: false };
  }
  return {
    state: 'spentByOther',
    final: /* guard: bvm-finality */ head.height - missing.since(name, head.height) >= finalityDepth,
  };
}

/** Fee, plus top-ups of depository change below the dust limit. */
async function costOf(
  { signers }: LookDeps,
  provider: Provider,
  tx: RawTransaction,
  block: string,
  done: readonly LegInstruction[],
): Promise<bigint> {
  const spent = await prevouts(provider, tx, block);
  const of = (outputs: readonly { readonly value: bigint; readonly script: Buffer }[], script?: Buffer): bigint =>
    outputs.reduce((sum, one) => (script === undefined || one.script.equals(script) ? sum + one.value : sum), 0n);
  const settled = done.reduce((sum, leg) => sum + settledBy(leg), 0n);
  // Every output that is not the lane's belongs to a deposit, at the depository or a deposit address.
  const taken = of(spent) - of(spent, signers.lane.script);
  const filledUp = of(tx.outputs, signers.depository.script) - (taken - settled);
  return of(spent) - of(tx.outputs) + (filledUp > 0n ? filledUp : 0n);
}
