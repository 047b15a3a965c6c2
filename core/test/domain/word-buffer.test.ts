import { encodeAbiParameters, keccak256, parseAbiParameters } from 'viem';
import { describe, expect, it } from 'vitest';
import { bytesToHex, hexToBytes } from '../../src/domain/hex.js';
import { WordBuffer } from '../../src/domain/word-buffer.js';

const ACCOUNT = '0x5fbdb2315678afecb367f032d93f642f64180aa3';

describe('WordBuffer', () => {
  it('leaves nothing of what it held before', () => {
    const words = new WordBuffer(3);
    words
      .uint256(2n ** 256n - 1n)
      .uint256(2n ** 256n - 1n)
      .uint256(2n ** 256n - 1n);
    words
      .reset()
      .uint32(7)
      .address(hexToBytes(ACCOUNT))
      .uint256(2n ** 64n);
    const encoded = encodeAbiParameters(parseAbiParameters('uint32, address, uint256'), [7, ACCOUNT, 2n ** 64n]);
    expect(bytesToHex(words.hash())).toBe(keccak256(encoded));
  });

  it('keeps its first word and refuses one word too many', () => {
    const first = new Uint8Array(32).fill(1);
    const words = new WordBuffer(2, first);
    expect(bytesToHex(words.uint32(1).hash())).toBe(bytesToHex(words.reset().uint32(1).hash()));
    expect(() => words.uint32(2)).toThrow(RangeError);
  });

  it.each([-1, 1.5, 2 ** 32, Number.NaN])('refuses %s as a uint32', (value) => {
    expect(() => new WordBuffer(1).uint32(value)).toThrow(RangeError);
  });

  it('refuses bytes of another length', () => {
    expect(() => new WordBuffer(1).word(new Uint8Array(31))).toThrow(RangeError);
    expect(() => new WordBuffer(1).address(new Uint8Array(32))).toThrow(RangeError);
  });
});
