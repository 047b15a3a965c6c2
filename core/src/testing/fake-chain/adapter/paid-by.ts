import type { OrderId, UnixMs } from '../../../contract/ids.js';
import type { LegInstruction, LegPaid } from '../../../contract/legs.js';
import { stateKey } from '../execution.js';
import type { FakeFill, FakeWithdrawal } from '../fake-chain-types.js';
import { type FakeProvider, NoAnswer } from '../fake-provider.js';

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

function eventOf(node: FakeProvider, leg: LegInstruction): FakeFill | FakeWithdrawal | undefined {
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
