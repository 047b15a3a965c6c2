import type { Hex } from '@causeway/core';
import { secp256k1 } from '@noble/curves/secp256k1';
import { parseTransaction, serializeTransaction, toHex } from 'viem';
import { privateKeyToAccount } from 'viem/accounts';
import { describe, expect, it } from 'vitest';
import { problemOf } from '../../src/remote/check-answer.js';
import type { UnsignedTransaction } from '../../src/signed-transaction.js';
import { key } from '../support/services.js';

const [account, other] = [privateKeyToAccount(key(1)), privateKeyToAccount(key(2))];
const ADDRESS = account.address.toLowerCase() as Hex;
const TO = `0x${'ab'.repeat(20)}` as const;

const ASKED = {
  type: 'eip1559',
  chainId: 31337,
  nonce: 7,
  to: TO,
  value: 5n,
  data: '0x1234',
  gas: 90_000n,
  maxFeePerGas: 30n,
  maxPriorityFeePerGas: 2n,
} as const satisfies UnsignedTransaction;

const signed = (change: object = {}, by = account) => by.signTransaction({ ...ASKED, ...change } as never);

describe('the answer of a remote signer', () => {
  it('is used where it is exactly what was asked for', async () => {
    expect(problemOf(await signed(), ASKED, ADDRESS)).toBeUndefined();
    const empty = { ...ASKED, nonce: 0, value: 0n, data: '0x', maxPriorityFeePerGas: 0n } as const;
    expect(problemOf(await signed(empty), empty, ADDRESS)).toBeUndefined();
    const { to: _, ...creation } = ASKED;
    expect(problemOf(await account.signTransaction(creation), creation, ADDRESS)).toBeUndefined();
  });

  it.each([
    ['nonce', { nonce: 8 }],
    ['nonce', { nonce: 0 }],
    ['to', { to: `0x${'cd'.repeat(20)}` }],
    ['to', { to: undefined }],
    ['value', { value: 6n }],
    ['value', { value: 0n }],
    ['data', { data: '0x1235' }],
    ['data', { data: '0x' }],
    ['gas', { gas: 90_001n }],
    ['maxFeePerGas', { maxFeePerGas: 31n }],
    ['maxPriorityFeePerGas', { maxPriorityFeePerGas: 3n }],
    ['chainId', { chainId: 1 }],
    ['accessList', { accessList: [{ address: TO, storageKeys: [] }] }],
    ['type', { type: 'legacy', maxFeePerGas: undefined, maxPriorityFeePerGas: undefined, gasPrice: 30n }],
    ['type', { type: 'eip2930', maxFeePerGas: undefined, maxPriorityFeePerGas: undefined, gasPrice: 30n }],
    ['type', { type: 'eip7702', authorizationList: [] }],
  ])('is refused by the name of its field: %s %o', async (field, change) => {
    expect(problemOf(await signed(change), ASKED, ADDRESS)).toMatch(new RegExp(`^${field} is `));
  });

  it('is refused where another key signed it', async () => {
    expect(problemOf(await signed({}, other), ASKED, ADDRESS)).toBe(
      `from is ${other.address.toLowerCase()} and must be ${ADDRESS}`,
    );
  });

  it.each([
    ['nothing', ''],
    ['no hex', 'null'],
    ['half a byte', '0x021'],
    ['a hash', `0x${'ab'.repeat(32)}`],
    ['an unknown type', '0x05c0'],
    ['an unsigned transaction', serializeTransaction(ASKED)],
  ])('is refused where it is %s', (_, answer) => {
    expect(problemOf(answer, ASKED, ADDRESS)).toBeTypeOf('string');
  });

  it('is refused with the other value of s, or with bytes behind it', async () => {
    const good = await signed();
    const { r, s, yParity } = parseTransaction(good);
    const twin = { r: r as Hex, s: toHex(secp256k1.CURVE.n - BigInt(s ?? 0)), yParity: 1 - (yParity ?? 0) };
    expect(problemOf(serializeTransaction(ASKED, twin), ASKED, ADDRESS)).toContain('signature');
    expect(problemOf(`${good}00`, ASKED, ADDRESS)).toBeTypeOf('string');
  });

  it('is refused with any byte changed', async () => {
    const good = await signed();
    for (let at = 2; at < good.length; at += 2) {
      const byte = (Number.parseInt(good.slice(at, at + 2), 16) ^ 1).toString(16).padStart(2, '0');
      const changed = `${good.slice(0, at)}${byte}${good.slice(at + 2)}`;
      expect(problemOf(changed, ASKED, ADDRESS), changed).toBeTypeOf('string');
    }
  });
});
