import type { Hex, KeySpender, LegInstruction, LegPaid, OrderId, UnixMs, UnixSeconds } from '@causeway/core';
import type { Provider } from '@causeway/core/rpc';
import { NATIVE, scriptAddress, soughtScript } from './addresses.js';
import { type Outpoint, outpointName, outpointsOf } from './funding-key.js';
import { readKey } from './keys.js';
import { followDeposit } from './lane/deposit-trail.js';
import { type LaneTransaction, laneHistory } from './lane/history.js';
import type { Anchor } from './lane/lane-state.js';
import { maybePaidLeg, type PaidLeg, paidLeg } from './lane/legs-done.js';
import { type LaneDeps, type LaneView, laneView } from './lane/view.js';
import { isSpentInPools } from './lane/waiting.js';
import { type Position, writePosition } from './position.js';
import { ask, ViewMoved } from './rpc/node.js';
import type { Located } from './transactions/locate.js';
import { fits, isCertain, type NamedLeg, namedLegs, wholeReference } from './transactions/references.js';
import { blockAt } from './watch/heads.js';

export interface SentDeps extends LaneDeps {
  readonly chainId: number;
}

const EVER: UnixMs = 0;

/** @throws without an up-to-date provider. */
export async function lanePosition(deps: SentDeps, at?: 'pool' | 'final'): Promise<string> {
  return deps.providers.runSurely('the position of the lane', async (provider) => {
    const view = await laneView(deps, provider);
    return writePosition(await positionIn(deps, provider, view, at));
  });
}

async function positionIn(
  deps: SentDeps,
  provider: Provider,
  { state, finalHeight }: LaneView,
  at: 'pool' | 'final' | undefined,
): Promise<Position> {
  if (at === undefined) return state.anchor ?? { serial: 0, behind: undefined };
  if (at === 'pool') return (await pooled(provider, state)) ?? { serial: 0, behind: undefined };
  for await (const { serial, tx, block } of laneHistory(provider, deps.signers.lane, state, EVER))
    if (block !== null && block.height <= finalHeight) return { serial: serial + 1, behind: tx.inputs[0] };
  return { serial: 0, behind: undefined };
}

/**
 * Includes the mempool.
 *
 * @throws ViewMoved while the node's mempool spends the anchor in an unknown transaction.
 */
async function pooled(provider: Provider, { anchor, newest }: LaneView['state']): Promise<Anchor | undefined> {
  if (anchor === undefined || newest !== anchor || anchor.coin.spentInPool !== null) return newest;
  const { txid, vout } = anchor.coin;
  if ((await ask<object | null>(provider, 'gettxout', [txid, vout, true])) === null)
    throw new ViewMoved('what spends the anchor in the pool is not known yet');
  return newest;
}

/** Signed by any process; undefined until confirmed. */
export async function spenderOf(deps: SentDeps, key: string): Promise<KeySpender | undefined> {
  const { serial } = readKey(key);
  return deps.providers.run(async (provider) => {
    const view = await laneView(deps, provider);
    const found = await sentAs(deps, provider, view, serial);
    return found && reported(found, view);
  });
}

export async function sentAs(
  { signers }: Pick<LaneDeps, 'signers'>,
  provider: Provider,
  { state }: Pick<LaneView, 'state'>,
  serial: number,
): Promise<LaneTransaction | undefined> {
  for await (const one of laneHistory(provider, signers.lane, state, EVER)) {
    if (one.serial === serial && one.block !== null) return one;
    if (one.serial < serial) return undefined;
  }
  return undefined;
}

function reported({ tx, block }: Located, { finalHeight }: LaneView): KeySpender {
  const named = namedLegs(tx);
  const filled = named.flatMap((one) => wholeReference(one) ?? []);
  const final = block !== null && block.height <= finalHeight;
  // Use keys of refunds also appear as orders, which do not exist.
  return { hash: tx.txid, final, filled, ...(filled.length < named.length ? { unreported: true } : {}) };
}

/** Under any key; a mempool transaction counts as not final, at the head. */
export async function paidBy(deps: SentDeps, leg: LegInstruction, since: UnixMs): Promise<LegPaid | undefined> {
  return deps.providers.run(async (provider) => {
    const view = await laneView(deps, provider);
    if (leg.kind === 'refund' || leg.kind === 'excess') return refundPaidBy(deps, provider, view, leg);
    for await (const one of laneHistory(provider, deps.signers.lane, view.state, since)) {
      const paid = paidLeg(deps.network, one.tx, leg);
      if (paid) return paymentOf(deps, view, one, paid);
    }
    return undefined;
  });
}

/** A refund spends its deposit: while the output exists, only a mempool transaction can have paid it. */
async function refundPaidBy(
  deps: SentDeps,
  provider: Provider,
  view: LaneView,
  leg: Extract<LegInstruction, { fundingKey: string }>,
): Promise<LegPaid | undefined> {
  // A refund spends all outputs of its deposit.
  const [deposit] = outpointsOf(deps.chainId, leg.fundingKey) ?? [];
  if (deposit === undefined) throw new Error(`no funding key of this chain: ${leg.fundingKey}`);
  const trail = await followDeposit({ ...deps.signers, state: view.state }, provider, deposit, (tx) =>
    maybePaidLeg(tx, leg),
  );
  if (trail.is === 'paid') return paymentOf(deps, view, trail.by, trail.paid);
  return trail.is === 'there' ? refundWaiting(deps, provider, view, leg, trail.coin) : undefined;
}

/** @throws ViewMoved if an unknown mempool transaction spends the output. */
async function refundWaiting(
  deps: SentDeps,
  provider: Provider,
  view: LaneView,
  leg: LegInstruction,
  coin: Outpoint,
): Promise<LegPaid | undefined> {
  for await (const { tx, block } of laneHistory(provider, deps.signers.lane, view.state, EVER)) {
    if (block !== null) break;
    if (!tx.inputs.some((input) => outpointName(input) === outpointName(coin))) continue;
    const paid = maybePaidLeg(tx, leg);
    return paid && paymentOf(deps, view, { tx, block }, paid);
  }
  if (await isSpentInPools(deps.providers, [coin]))
    throw new ViewMoved(`an unknown transaction in a pool spends ${outpointName(coin)}`);
  return undefined;
}

function paymentOf(
  { network, signers }: SentDeps,
  { head, finalHeight }: LaneView,
  { tx, block }: Located,
  { value, script, certain }: PaidLeg,
): LegPaid {
  return {
    hash: tx.txid,
    block: block ?? { height: head.height, id: head.hash, timestamp: head.time * 1_000 },
    final: block !== null && block.height <= finalHeight,
    sender: signers.lane.address,
    currency: NATIVE,
    recipient: scriptAddress(script, network) ?? '',
    moved: value,
    ...(certain ? {} : { doubtful: true }),
  };
}

/**
 * Whether neither the chain up to a final block past the deadline (in chain time) nor any provider's mempool fills
 * the order.
 *
 * Not guaranteed: signed bytes in no mempool that are still broadcast, while the lane has sent nothing since.
 */
export async function unfilledForGood(
  deps: SentDeps,
  orderId: OrderId,
  deadline: UnixSeconds,
  since: UnixMs,
  recipient: string | undefined,
): Promise<boolean> {
  return deps.providers.run(async (provider) => {
    const view = await laneView(deps, provider);
    const { timestamp } = await blockAt(provider, view.finalHeight, 'median');
    if (timestamp <= deadline * 1_000) return false;
    const script = recipient === undefined ? undefined : soughtScript(recipient, deps.network);
    for await (const { tx } of laneHistory(provider, deps.signers.lane, view.state, since)) {
      const mayFill = (named: NamedLeg): boolean =>
        fits(named, orderId as Hex) &&
        (isCertain(named) || script === undefined || tx.outputs[named.output]?.script.equals(script) === true);
      if (namedLegs(tx).some(mayFill)) return false;
    }
    return isQuiet(deps, view.state);
  });
}

/** No provider's mempool has a lane transaction beyond those that were read. */
async function isQuiet({ providers }: SentDeps, { anchor, free }: LaneView['state']): Promise<boolean> {
  const open = [...(anchor ? [anchor.coin] : []), ...free].filter(({ spentInPool }) => spentInPool === null);
  return !(await isSpentInPools(providers, open));
}
