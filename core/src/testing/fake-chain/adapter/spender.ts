import type { KeySpender } from '../../../contract/legs.js';
import { messageId } from '../block-maker.js';
import type { FakeBlock, Receipt } from '../block-tree.js';
import { stateKey } from '../execution.js';
import type { FakeProvider } from '../fake-provider.js';

export function spenderAt(node: FakeProvider, signer: string, n: number): KeySpender | undefined {
  const { tree } = node.core;
  const counted = (block: FakeBlock): number => Number(tree.read(block, stateKey.sequence(signer)));
  let block = node.receiptHead;
  if (counted(block) <= n) return undefined;
  while (block.parent !== null && counted(block.parent) > n) block = block.parent;
  const before = block.parent === null ? 0 : counted(block.parent);
  const receipt = block.receipts.filter(({ transaction }) => transaction.from === signer)[n - before];
  return receipt === undefined ? undefined : reported(node, receipt);
}

/** Undefined while its effects are in flight. */
export function reported(node: FakeProvider, { transaction, block, ok, leftOut }: Receipt): KeySpender | undefined {
  const { tree, rules } = node.core;
  const filled: KeySpender['filled'][number][] = [];
  let last = block.height;
  for (const [index, action] of transaction.actions.entries()) {
    if (!ok || action.do !== 'fill' || leftOut.has(index)) continue;
    if (rules.hops > 0) {
      const arrived = tree.read(node.head, stateKey.arrived(messageId(transaction.hash, index)));
      if (arrived === 0n) return undefined;
      last = Math.max(last, Number(arrived / 2n));
      if (arrived % 2n === 1n) continue;
    }
    filled.push(action.orderId, ...(action.topUp ? [action.topUp.orderId] : []));
  }
  return { hash: transaction.hash, final: last <= node.finalized.height, filled };
}
