import type { TransactionEntry } from '../../../contract/transactions.js';
import { BalanceChanges } from '../../../domain/balance-changes.js';
import { messageId } from '../block-maker.js';
import type { FakeBlock, Receipt } from '../block-tree.js';
import { stateKey } from '../execution.js';
import type { FakeProvider } from '../fake-provider.js';
import { isPayment } from '../transaction.js';
import type { FakeConfig } from './setup.js';

const MAX_SAID = 262_144;

/** Undefined while the transaction or its effects are pending. */
export function describe(
  node: FakeProvider,
  { currencies }: Pick<FakeConfig, 'currencies'>,
  hash: string,
): TransactionEntry | undefined {
  const receipt = node.core.tree.receipt(node.receiptHead, hash);
  const block = receipt === undefined ? undefined : arrivedIn(node, receipt);
  if (receipt === undefined || block === undefined) return undefined;
  const { transaction, ok, fee } = receipt;
  return {
    txHash: transaction.hash,
    fee: fee.toString(),
    block: block.height,
    type: 'onchain',
    chainId: transaction.chainId,
    timestamp: Math.floor(block.timestamp / 1000),
    status: ok ? 'success' : 'failure',
    data: { from: transaction.from, data: transaction.bytes.slice(0, MAX_SAID), value: '0' },
    ...changesOf(node, receipt, block).listed((currency) => currencies.has(currency)),
  };
}

function arrivedIn(node: FakeProvider, { transaction, block, ok, leftOut }: Receipt): FakeBlock | undefined {
  const { rules, tree } = node.core;
  if (rules.hops === 0 || !ok) return block;
  let last = block.height;
  for (const index of transaction.actions.keys()) {
    if (leftOut.has(index)) continue;
    const arrived = tree.read(node.head, stateKey.arrived(messageId(transaction.hash, index)));
    if (arrived === 0n) return undefined;
    last = Math.max(last, Number(arrived / 2n));
  }
  return tree.ancestor(node.head, last);
}

function changesOf({ core }: FakeProvider, { transaction, ok, fee }: Receipt, arrived: FakeBlock): BalanceChanges {
  const changes = new BalanceChanges();
  const { from, actions } = transaction;
  changes.add(from, core.contracts.native, -fee);
  const { depository } = core.contracts;
  for (const { hash, address, currency, amount } of arrived.sweeps) {
    if (hash !== transaction.hash) continue;
    changes.add(address, currency, -amount);
    changes.add(depository, currency, amount);
  }
  for (const action of ok ? actions.filter(isPayment) : []) {
    if (action.do === 'sweep') continue;
    changes.add(action.do === 'withdraw' ? depository : from, action.currency, -action.amount);
    changes.add(action.do === 'deposit' ? depository : action.to, action.currency, action.amount);
  }
  return changes;
}
