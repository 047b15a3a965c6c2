import { keccak_256 } from '@noble/hashes/sha3';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { bytesToHex } from '../../src/domain/hex.js';
import { initKeccak, keccak256 } from '../../src/domain/keccak.js';

const bytes = (text: string) => new TextEncoder().encode(text);

function expectKnown(): void {
  expect(bytesToHex(keccak256(bytes('')))).toBe('0xc5d2460186f7233c927e7db2dcc703c0e500b653ca82273b7bfad8045d85a470');
  expect(bytesToHex(keccak256(bytes('abc')))).toBe(
    '0x4e03657aea45a94fc7d47ba826c8d667c0d1e6e33a64a036ec44f58fa12d6c45',
  );
}

describe('keccak256', () => {
  it('gives the known hashes before and after WebAssembly takes over', async () => {
    expectKnown();
    await initKeccak();
    expectKnown();
  });

  it('agrees with the pure implementation on any input', async () => {
    await initKeccak();
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 600 }), (input) => {
        expect(bytesToHex(keccak256(input))).toBe(bytesToHex(keccak_256(input)));
      }),
    );
  });

  it('never reuses a returned buffer', async () => {
    await initKeccak();
    const first = keccak256(bytes('a'));
    const text = bytesToHex(first);
    keccak256(bytes('b'));
    expect(bytesToHex(first)).toBe(text);
  });
});
