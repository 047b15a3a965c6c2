import type { FillLeg, Hex } from '@causeway/core';
import { expect, it } from 'vitest';
import { addressScript, NATIVE } from '../src/addresses.js';
import { exactOutputs } from '../src/lane/legs-done.js';
import { NETWORKS } from '../src/network.js';
import type { RawTransaction } from '../src/raw/transaction.js';
import { referenceScript } from '../src/transactions/references.js';

const network = NETWORKS['bitcoin-regtest'];
const RECIPIENT = 'bcrt1q9lzdh2asp4ytqh2dz5wtumzlhecmqgn2nuuy3l';

/** Enough that tags have only a few bits. */
const LEGS = 20;

function fill(orderId: Hex): FillLeg {
  return { kind: 'fill', legId: orderId, orderId, currency: NATIVE, amount: 7n, recipient: RECIPIENT, deadline: 0 };
}

function transactionOf(legs: readonly FillLeg[], values: readonly bigint[]): RawTransaction {
  const paid = legs.map((_, n) => ({ value: values[n] ?? 7n, script: Buffer.from(addressScript(RECIPIENT, network)) }));
  const name = { value: 0n, script: referenceScript(legs, 83) };
  return { outputs: [...paid, name] } as unknown as RawTransaction;
}

it('an output does one leg, however alike two are: the same recipient, amount and beginning of a name', () => {
  const alike = (last: string): Hex => `0x${'11'.repeat(31)}${last}`;
  const others = Array.from({ length: LEGS - 2 }, (_, n): Hex => `0x${(n + 64).toString(16).padEnd(64, '0')}`);
  const legs = [alike('01'), alike('02'), ...others].map(fill);
  const [one, two] = legs;
  if (one === undefined || two === undefined) throw new Error('no legs');
  expect(exactOutputs(network, transactionOf(legs, []), legs).size).toBe(LEGS);
  const done = exactOutputs(network, transactionOf(legs, [7n, 8n]), legs);
  expect(done.size).toBe(LEGS - 1);
  expect([done.has(one), done.has(two)].filter(Boolean)).toHaveLength(1);
});
