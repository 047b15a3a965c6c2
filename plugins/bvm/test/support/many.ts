import { randomBytes } from 'node:crypto';
import type { Hex } from '@causeway/core';
import { Transaction } from 'bitcoinjs-lib';
import { addressScript } from '../../src/addresses.js';
import type { LocalNode } from './node.js';
import { addInput, ownKey } from './own-key.js';

/** Outputs per fan-out transaction. */
const FAN = 500;
const VALUE = 20_000n;
/** Satoshis per deposit. */
export const DEPOSITED = 10_000n;

export interface Many {
  readonly hexes: readonly string[];
  readonly deposits: readonly string[];
}

/** With confirmed parents; some pay the depository. Not sent. */
export async function manyTransactions(
  node: LocalNode,
  depository: string,
  { count, deposits: wanted }: { readonly count: number; readonly deposits: number },
): Promise<Many> {
  const key = ownKey(node.network);
  const inputs: { txid: string; vout: number }[] = [];
  while (inputs.length < count) {
    const fan = new Transaction();
    const value = VALUE * BigInt(FAN + 1) + 100_000n;
    addInput(fan, await node.fund(key.address, value));
    await node.mine();
    for (let n = 0; n < FAN; n += 1) fan.addOutput(key.script, VALUE);
    key.sign(fan, 0, value);
    const txid = await node.rpc<string>('sendrawtransaction', [fan.toHex()]);
    for (let n = 0; n < FAN; n += 1) inputs.push({ txid, vout: n });
  }
  await node.mine();
  const deposits: string[] = [];
  const hexes = inputs.slice(0, count).map((input, n) => {
    const tx = new Transaction();
    addInput(tx, input);
    const isDeposit = n % (count / wanted) === 0;
    if (isDeposit) {
      const order: Hex = `0x${n.toString(16).padStart(64, 'e')}`;
      tx.addOutput(addressScript(depository, node.network), DEPOSITED);
      tx.addOutput(Buffer.concat([Buffer.from([0x6a, 66]), Buffer.from(order)]), 0n);
    } else for (let k = 0; k < 2; k += 1) tx.addOutput(Buffer.concat([Buffer.from([0, 20]), randomBytes(20)]), 9_000n);
    key.sign(tx, 0, VALUE);
    if (isDeposit) deposits.push(tx.getId());
    return tx.toHex();
  });
  return { hexes, deposits };
}
