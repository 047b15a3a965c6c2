import { hexToBytes } from 'viem';
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts';
import { expect, it } from 'vitest';
import { isPersonalSignature } from '../src/personal-sign.js';

const account = privateKeyToAccount(generatePrivateKey());
const HASH = `0x${'7b'.repeat(32)}` as const;

it('takes 32 bytes that are given as hex for signed as bytes, and as the text', async () => {
  const [asBytes, asText] = await Promise.all([
    account.signMessage({ message: { raw: HASH } }),
    account.signMessage({ message: HASH }),
  ]);
  for (const signature of [asBytes, asText]) {
    expect(isPersonalSignature(account.address, HASH, signature)).toBe(true);
    expect(isPersonalSignature(account.address, `0x${'7c'.repeat(32)}`, signature)).toBe(false);
  }
});

it('takes other hex for the text that it is', async () => {
  const short = HASH.slice(0, -2) as `0x${string}`;
  const asBytes = await account.signMessage({ message: { raw: hexToBytes(short) } });
  expect(isPersonalSignature(account.address, short, asBytes)).toBe(false);
  const asText = await account.signMessage({ message: short });
  expect(isPersonalSignature(account.address, short, asText)).toBe(true);
});
