import { TooMuchToDescribeError } from '@causeway/core';
import { RpcError } from '@causeway/core/rpc';
import { Transaction } from 'bitcoinjs-lib';
import { expect, it } from 'vitest';
import { parseTransaction } from '../src/raw/transaction.js';
import { prevouts } from '../src/rpc/prevouts.js';

function built(inputs: readonly Uint8Array[]): Transaction {
  const tx = new Transaction();
  for (const hash of inputs) tx.addInput(Buffer.from(hash), 0);
  tx.addOutput(Buffer.from('51', 'hex'), 1_000n as never);
  return tx;
}

const PARENTS = Array.from({ length: 101 }, (_, n) => built([Buffer.alloc(32, n + 1)]));
const BY_ID = new Map(PARENTS.map((tx) => [tx.getId(), tx.toHex()]));

/** It has an index, but does not report what a transaction spent. */
function oldNode() {
  const asked: string[] = [];
  const request = async (_: string, [txid, verbosity]: readonly [string, number]) => {
    if (verbosity === 2) throw new RpcError('verbosity', -8, undefined);
    asked.push(txid);
    return BY_ID.get(txid);
  };
  return { node: { rpc: { request } } as never, asked };
}

const spending = (parents: readonly Transaction[]) =>
  parseTransaction(built(parents.map((one) => one.getHash())).toHex());

it('parents are read one by one up to a bound, and without one for payments', async () => {
  const { node, asked } = oldNode();
  const block = 'b'.repeat(64);
  expect(await prevouts(node, spending(PARENTS.slice(0, 100)), block, 100)).toHaveLength(100);
  await expect(prevouts(node, spending(PARENTS), block, 100)).rejects.toThrow(TooMuchToDescribeError);
  expect(asked).toHaveLength(100);
  expect(await prevouts(node, spending(PARENTS), block)).toHaveLength(101);
});
