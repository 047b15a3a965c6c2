import type { TransactionEntry } from '../../../contract/transactions.js';
import type { FakeProvider } from '../fake-provider.js';

/** The entry of any included transaction; undefined while it is not. */
export function describe(node: FakeProvider, hash: string): TransactionEntry | undefined {
  const receipt = node.core.tree.receipt(node.receiptHead, hash);
  if (receipt === undefined) return undefined;
  const { transaction, block, ok, fee } = receipt;
  return {
    txHash: transaction.hash,
    fee: fee.toString(),
    block: block.height,
    type: 'onchain',
    chainId: transaction.chainId,
    timestamp: Math.floor(block.timestamp / 1000),
    status: ok ? 'success' : 'failure',
    data: { from: transaction.from, data: transaction.bytes, value: '0' },
    stateChanges: [],
  };
}
