import type { BlockRef } from '../../../contract/ids.js';
import type { KeyEvidence, KeyView, LegEffect, LegInstruction, SweepLeg } from '../../../contract/legs.js';
import { messageId } from '../block-maker.js';
import type { Receipt } from '../block-tree.js';
import { stateKey } from '../execution.js';
import type { FakeProvider } from '../fake-provider.js';
import { NATIVE } from '../native.js';
import { type FakeAction, isPayment } from '../transaction.js';
import { callOf, reasonOf } from './check.js';
import type { AdapterParts } from './setup.js';

type Spent = Extract<KeyEvidence, { state: 'spent' }>;

/** The included transaction of a key on a node's branch, if the node still has its receipt. */
export function landed(node: FakeProvider, key: KeyView): Receipt | undefined {
  for (const { hash } of key.attempts) {
    const receipt = node.core.tree.receipt(node.receiptHead, hash);
    if (receipt !== undefined) return receipt;
  }
  return undefined;
}

export function spentBy(node: FakeProvider, key: KeyView, receipt: Receipt, parts: AdapterParts): KeyEvidence {
  const { transaction, ok, fee, block } = receipt;
  const legs = key.attempts.find(({ hash }) => hash === transaction.hash)?.legs ?? [];
  const finalized = node.finalized.height;
  const isVault = transaction.from === parts.config.facts.depository;
  const feePaidBy = { pot: isVault ? 'depository' : 'lane', owner: transaction.from } as const;
  const base = { state: 'spent', hash: transaction.hash, ok, fee, feePaidBy } as const;
  if (!ok) {
    const effects = legs.map(({ legId }) => ({ legId, done: false, moved: 0n }));
    const failure = failureOf(receipt, legs, parts);
    return { ...base, ...at(block, finalized), effects, ...(failure ? { failure } : {}) };
  }
  if (node.core.rules.hops === 0) {
    const effects = legs.map((leg) =>
      leg.kind === 'sweep' && node.core.rules.forwards ? forwarded(node, leg, receipt) : effectOf(leg, receipt, parts),
    );
    return { ...base, ...at(block, finalized), effects };
  }
  return arrivals(node, receipt, legs, base, parts);
}

function at({ height, id, timestamp }: BlockRef, finalized: number): Pick<Spent, 'block' | 'final'> {
  return { block: { height, id, timestamp }, final: height <= finalized };
}

/** A forwarder's call moved all that had arrived before it, in whichever call. */
function forwarded(node: FakeProvider, leg: SweepLeg, receipt: Receipt): LegEffect {
  const { legId, amount } = leg;
  const isNamed = indexOf(leg, receipt.transaction.actions) >= 0;
  if (isNamed && hadArrived(node, leg, receipt)) return { legId, done: true, moved: amount };
  return { legId, done: false, moved: 0n, returned: true };
}

/** Whether the transfer of a sweep came before a transaction on the same branch. */
export function hadArrived(node: FakeProvider, { fundingKey }: SweepLeg, { block, transaction }: Receipt): boolean {
  const transfer = node.core.tree.receipt(block, fundingKey.split(':')[1] ?? '');
  if (transfer?.ok !== true) return false;
  if (transfer.block !== block) return true;
  const place = (hash: string) => block.receipts.findIndex((one) => one.transaction.hash === hash);
  return place(transfer.transaction.hash) < place(transaction.hash);
}

function effectOf(leg: LegInstruction, { transaction, block, leftOut }: Receipt, parts: AdapterParts): LegEffect {
  const place = indexOf(leg, transaction.actions);
  const action = transaction.actions[place];
  const nothing = { legId: leg.legId, done: false, moved: 0n };
  if (action?.do === 'call') return { ...nothing, done: true };
  if (action === undefined || !isPayment(action)) return nothing;
  const out = leftOut.get(place);
  if (out !== undefined)
    return { ...nothing, returned: true, fee: out.fee, failure: whyOf(out.failure, leg, transaction.from, parts) };
  const topUp = topUpOf(leg, action);
  const done = { legId: leg.legId, done: true, moved: topUp?.amount ?? action.amount };
  if (action.do === 'withdraw') {
    const paid = block.withdrawals.find(({ hash, useKey }) => hash === transaction.hash && useKey === action.useKey);
    return paid?.brought === undefined ? done : { ...done, brought: paid.brought };
  }
  if (action.do !== 'fill' || topUp) return done;
  const event = block.fills.find(({ hash, orderId }) => hash === transaction.hash && orderId === action.orderId);
  return event?.brought === undefined ? done : { ...done, brought: event.brought };
}

function topUpOf(leg: LegInstruction, action: FakeAction) {
  if (action.do !== 'fill' || leg.kind !== 'fill' || action.topUp?.orderId !== leg.orderId) return undefined;
  return leg.currency === NATIVE && action.to === leg.recipient ? action.topUp : undefined;
}

/** Action with the leg's order or use key, currency and recipient. */
function indexOf(leg: LegInstruction, actions: readonly FakeAction[]): number {
  return actions.findIndex((action) => {
    if (action.do === 'sweep') return leg.kind === 'sweep' && action.useKey === leg.useKey;
    if (action.do === 'call') return leg.kind === 'call' && action.useKey === leg.useKey;
    if (action.do !== 'fill' && action.do !== 'withdraw') return false;
    const topUp = topUpOf(leg, action);
    if (topUp) return topUp.amount >= leg.amount;
    if (action.currency !== leg.currency || action.to !== leg.recipient) return false;
    if (action.do === 'fill')
      return leg.kind === 'fill' && action.orderId === leg.orderId && action.amount >= leg.amount;
    return leg.kind !== 'fill' && leg.kind !== 'sweep' && action.useKey === leg.useKey;
  });
}

/**
 * With asynchronous effects, a spent key proves nothing about its legs until each arrived or bounced. Place and
 * finality are those of the last one.
 */
function arrivals(
  node: FakeProvider,
  { transaction, block, leftOut }: Receipt,
  legs: readonly LegInstruction[],
  base: Pick<Spent, 'state' | 'hash' | 'ok' | 'fee' | 'feePaidBy'>,
  parts: AdapterParts,
): KeyEvidence {
  const { tree } = node.core;
  const effects: LegEffect[] = [];
  let last = block.height;
  for (const leg of legs) {
    const index = indexOf(leg, transaction.actions);
    const out = leftOut.get(index);
    if (out !== undefined) {
      const failure = whyOf(out.failure, leg, transaction.from, parts);
      effects.push({ legId: leg.legId, done: false, moved: 0n, returned: true, failure });
      continue;
    }
    const arrived = index < 0 ? 0n : tree.read(node.head, stateKey.arrived(messageId(transaction.hash, index)));
    if (index >= 0 && arrived === 0n) return { state: 'unknown', why: 'effects are on their way' };
    const done = index >= 0 && arrived % 2n === 0n;
    const bounced = index >= 0 && !done;
    effects.push({ legId: leg.legId, done, moved: done ? leg.amount : 0n, ...(bounced ? { returned: true } : {}) });
    last = Math.max(last, Number(arrived / 2n));
  }
  return { ...base, ...at(tree.ancestor(node.head, last), node.finalized.height), effects };
}

function failureOf({ failure, transaction }: Receipt, legs: readonly LegInstruction[], parts: AdapterParts) {
  const [leg] = legs;
  return leg === undefined ? undefined : whyOf(failure ?? 'failed', leg, transaction.from, parts);
}

function whyOf(message: string, leg: LegInstruction, from: string, { config }: AdapterParts) {
  const { router, depository } = config.facts;
  const to = leg.kind === 'fill' ? (router ?? leg.recipient) : leg.kind === 'call' ? leg.recipient : depository;
  return { reason: reasonOf(message, 'TRANSACTION_REVERTED'), message, call: callOf(leg, from, to) };
}
