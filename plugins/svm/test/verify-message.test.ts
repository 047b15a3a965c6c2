import { createPublicKey, verify } from 'node:crypto';
import { Keypair } from '@solana/web3.js';
import bs58 from 'bs58';
import { describe, expect, it } from 'vitest';
import { NATIVE } from '../src/addresses.js';
import { verifyMessage } from '../src/verify-message.js';
import { nativeKeys } from './support/native-keys.js';

const seed = Buffer.from('00112233445566778899aabbccddeeff00112233445566778899aabbccddeeff', 'hex');
const keys = nativeKeys(seed);
const address = keys.publicKey.toBase58();
const text = 'Give back what I sent: 5 USDC — ✓';
const bytes = keys.sign(Buffer.from(text, 'utf8'));
const base58 = bs58.encode(bytes);
const base64 = Buffer.from(bytes).toString('base64');

describe('a signed text', () => {
  it('is verified in either spelling of its signature', () => {
    expect(Keypair.fromSeed(seed).publicKey.toBase58()).toBe(address);
    expect(verifyMessage(address, text, base58)).toBe(true);
    expect(verifyMessage(address, text, base64)).toBe(true);
    expect(verifyMessage(address, text, base64.replace(/=+$/, ''))).toBe(true);
  });

  it('is verified also where its base64 could be base58, of other bytes', () => {
    // Found by trying: one text in hundreds of thousands.
    const said = 'text 318941';
    const spelt = Buffer.from(keys.sign(Buffer.from(said)))
      .toString('base64')
      .slice(0, 86);
    expect(bs58.decode(spelt)).toHaveLength(64);
    expect(verifyMessage(address, said, spelt)).toBe(true);
  });

  it('is not of another text, another key, or a signature that was changed', () => {
    expect(verifyMessage(address, `${text} `, base58)).toBe(false);
    expect(verifyMessage(Keypair.generate().publicKey.toBase58(), text, base58)).toBe(false);
    for (const place of [0, 31, 32, 63]) {
      const changed = Uint8Array.from(bytes);
      changed[place] = (changed[place] ?? 0) ^ 1;
      expect(verifyMessage(address, text, bs58.encode(changed))).toBe(false);
    }
  });

  it('is refused without a throw where anything about it is malformed', () => {
    const odd = [
      '',
      '0',
      ' ',
      base58.slice(1),
      `${base58}1`,
      base64.slice(1),
      `${base64}=`,
      'é'.repeat(88),
      'A'.repeat(9_999),
    ];
    for (const signature of odd) expect(verifyMessage(address, text, signature), signature.slice(0, 20)).toBe(false);
    const none = ['', 'x', address.slice(1), `${address}1`, `token-account:${address}`, '2'.repeat(44)];
    for (const one of none) expect(verifyMessage(one, text, base58), one).toBe(false);
    expect(verifyMessage(bs58.encode(Buffer.alloc(32, 0xff)), text, base58)).toBe(false);
  });

  it('is of no one where its key is one that needs no secret, as the address of the native coin', () => {
    const zero = Buffer.alloc(32);
    const spki = Buffer.concat([Buffer.from('302a300506032b6570032100', 'hex'), zero]);
    const publicKey = createPublicKey({ key: spki, format: 'der', type: 'spki' });
    // Forged: a small-order point and a zero scalar.
    const points = ['00'.repeat(32), `01${'00'.repeat(31)}`, `ec${'ff'.repeat(30)}7f`, `${'00'.repeat(31)}80`];
    let forged = 0;
    for (let n = 0; n < 100; n += 1) {
      const said = `text ${n}`;
      for (const point of points) {
        const made = Buffer.concat([Buffer.from(point, 'hex'), Buffer.alloc(32)]);
        if (!verify(null, Buffer.from(said), publicKey, made)) continue;
        forged += 1;
        expect(verifyMessage(NATIVE, said, bs58.encode(made))).toBe(false);
        expect(verifyMessage(NATIVE, said, made.toString('base64'))).toBe(false);
      }
    }
    expect(forged).toBeGreaterThan(0);
  });
});
