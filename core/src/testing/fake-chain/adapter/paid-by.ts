import type { OrderId, UnixMs } from '../../../contract/ids.js';
import type { CallLeg, LegInstruction, LegPaid, SweepLeg } from '../../../contract/legs.js';
import { stateKey } from '../execution.js';
import type { FakeFill, FakeSweep, FakeWithdrawal } from '../fake-chain-types.js';
import { type FakeProvider, NoAnswer } from '../fake-provider.js';
import { hadArrived } from './evidence.js';

/** Clock skew between a chain and its readers stays below. */
const SKEW_MS = 120_000;

/** Whether an order is filled at the node's final block; without a contract its history is read back to `since`. */
export function isFilled(node: FakeProvider, orderId: OrderId, since: UnixMs): boolean {
  const { tree, rules } = node.core;
  const { finalized } = node;
  if (tree.read(finalized, stateKey.filled(orderId)) === 0n) return false;
  if (rules.historyTried) return true;
  return tree.fills.some((fill) => fill.orderId === orderId && fill.block.timestamp >= since - SKEW_MS);
}

/** What paid a leg on a node's branch. @throws NoAnswer while it is paid without an event. */
export function paidBy(node: FakeProvider, leg: LegInstruction, since: UnixMs): LegPaid | undefined {
  // A call pays no one, so nothing on the chain shows it.
  if (leg.kind === 'call') return undefined;
  return leg.kind === 'sweep' ? sweptBy(node, leg) : payoutOf(node, leg, since);
}

/** The service's own sweep that moved the transfer of a leg. */
function sweptBy(node: FakeProvider, leg: SweepLeg): LegPaid | undefined {
  const { tree } = node.core;
  const { currency, recipient, amount: moved } = leg;
  if (tree.read(node.head, stateKey.used(leg.useKey)) === 0n) return undefined;
  const receipts = sweepsOf(node, leg).map(({ hash, block }) => ({
    block,
    receipt: tree.receipt(node.receiptHead, hash),
  }));
  const found = receipts.find(
    ({ receipt }) => receipt && (!node.core.rules.forwards || hadArrived(node, leg, receipt)),
  );
  if (found?.receipt === undefined) {
    if (receipts.some(({ receipt }) => receipt === undefined) || receipts.length === 0)
      throw new NoAnswer('what swept it is not known yet');
    return undefined;
  }
  const { block, receipt } = found;
  const { hash, from: sender } = receipt.transaction;
  return { hash, block, final: block.height <= node.finalized.height, sender, currency, recipient, moved };
}

/** On the node's branch, from the blocks whose receipts it still has, oldest first. */
function sweepsOf(node: FakeProvider, { useKey }: SweepLeg): readonly FakeSweep[] {
  const { tree } = node.core;
  const onFork: FakeSweep[] = [];
  let at = node.receiptHead;
  for (; !tree.isCanonical(at) && at.parent !== null; at = at.parent) onFork.unshift(...at.sweeps);
  const { height } = at;
  return [...tree.sweeps.filter(({ block }) => block.height <= height), ...onFork].filter(
    (one) => one.useKey === useKey,
  );
}

type Payout = Exclude<LegInstruction, SweepLeg | CallLeg>;

function payoutOf(node: FakeProvider, leg: Payout, since: UnixMs): LegPaid | undefined {
  const { tree, rules } = node.core;
  const once = leg.kind === 'fill' ? stateKey.filled(leg.orderId) : stateKey.used(leg.useKey);
  if (tree.read(node.head, once) === 0n) return undefined;
  const event = eventOf(node, leg);
  const receipt = event === undefined ? undefined : tree.receipt(node.receiptHead, event.hash);
  if (event === undefined || receipt === undefined) throw new NoAnswer('what paid it is not known yet');
  const { hash, block, currency, recipient, amount } = event;
  if (!rules.historyTried && block.timestamp < since - SKEW_MS) return undefined;
  const final = block.height <= node.finalized.height;
  const brought = 'brought' in event && event.brought !== undefined ? { brought: event.brought } : {};
  return { hash, block, final, sender: receipt.transaction.from, currency, recipient, moved: amount, ...brought };
}

function eventOf(node: FakeProvider, leg: Payout): FakeFill | FakeWithdrawal | undefined {
  const { tree } = node.core;
  const ofFill = (one: FakeFill): boolean => leg.kind === 'fill' && one.orderId === leg.orderId;
  const ofUse = (one: FakeWithdrawal): boolean => leg.kind !== 'fill' && one.useKey === leg.useKey;
  let at = node.receiptHead;
  for (; !tree.isCanonical(at) && at.parent !== null; at = at.parent) {
    const found = at.fills.find(ofFill) ?? at.withdrawals.find(ofUse);
    if (found !== undefined) return found;
  }
  const { height } = at;
  return leg.kind === 'fill'
    ? tree.fills.find((one) => ofFill(one) && one.block.height <= height)
    : tree.withdrawals.find((one) => ofUse(one) && one.block.height <= height);
}
