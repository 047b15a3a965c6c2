import { SeededRandom } from '@causeway/core/testing';
import bs58 from 'bs58';
import { expect, it } from 'vitest';
import { fromBase58 } from '../src/base58.js';
import { type RawTransaction, readTransaction } from '../src/transactions/read.js';

const bytes = (random: SeededRandom, length: number) => Uint8Array.from({ length }, () => random.between(0, 255));

it('reads what bs58 reads', () => {
  const random = new SeededRandom('base58');
  for (let n = 0; n < 300; n += 1) {
    const zeros = random.pick([0, 0, 1, 90]);
    const data = Uint8Array.from([...new Uint8Array(zeros), ...bytes(random, random.between(0, 400))]);
    expect(Buffer.from(fromBase58(bs58.encode(data)))).toEqual(Buffer.from(data));
  }
  expect(() => fromBase58(`${'2'.repeat(200)}0`)).toThrow();
});

it('reads a transaction with as much data as programs can give each other, in the time of a few digit by digit', () => {
  const data = `${'z'.repeat(13_984)}`;
  const key = '11111111111111111111111111111111';
  const raw: RawTransaction = {
    slot: 1,
    transaction: {
      signatures: ['s'],
      message: { accountKeys: [key], instructions: [{ programIdIndex: 0, accounts: [0], data: '' }] },
    },
    meta: {
      ...{ err: null, preBalances: [1], postBalances: [1] },
      innerInstructions: [
        { index: 0, instructions: Array.from({ length: 63 }, () => ({ programIdIndex: 0, accounts: [0], data })) },
      ],
    },
  };
  const time = (work: () => unknown) => {
    const from = performance.now();
    work();
    return performance.now() - from;
  };
  const one = time(() => bs58.decode(data));
  expect(time(() => readTransaction(raw))).toBeLessThan(one * 20);
});

it('reads, or refuses, whatever is cut out of a transaction', () => {
  const random = new SeededRandom('cut transactions');
  const whole = {
    slot: 1,
    transaction: {
      signatures: ['s'],
      message: { accountKeys: ['a', 'b'], instructions: [{ programIdIndex: 1, accounts: [0], data: '3Bxs' }] },
    },
    meta: {
      ...{ err: null, fee: 5, preBalances: [1, 2], postBalances: [1, 2], innerInstructions: [], logMessages: [] },
      preTokenBalances: [{ accountIndex: 1, mint: 'm', owner: 'a', uiTokenAmount: { amount: '7' } }],
      loadedAddresses: { writable: [], readonly: [] },
    },
  };
  let refused = 0;
  for (let n = 0; n < 300; n += 1) {
    const text = JSON.stringify(whole).replace(/"[a-zA-Z]*"|\d/g, (part) =>
      random.between(0, 15) === 0 ? random.pick(['null', '-1', '99', '"0"', '[]', '{}', '"x"']) : part,
    );
    let broken: RawTransaction;
    try {
      broken = JSON.parse(text) as RawTransaction;
    } catch {
      continue;
    }
    try {
      expect(readTransaction(broken).accounts.length).toBeGreaterThan(0);
    } catch {
      refused += 1;
    }
  }
  expect(refused).toBeGreaterThan(20);
});
