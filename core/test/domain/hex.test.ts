import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { bytesToHex, hexToBytes, isHex } from '../../src/domain/hex.js';

describe('hex', () => {
  it('round-trips bytes in either case', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 100 }), (bytes) => {
        const hex = bytesToHex(bytes);
        expect(hexToBytes(hex)).toEqual(bytes);
        expect(hexToBytes(`0x${hex.slice(2).toUpperCase()}`)).toEqual(bytes);
        expect(hex).toBe(`0x${Buffer.from(bytes).toString('hex')}`);
        expect(isHex(hex, bytes.length)).toBe(true);
      }),
    );
  });

  it.each(['', '0', '00', '0x0', '0xg0', '0x0g', '0x 0', '0X00', '0x0\u0130', 'x000'])('refuses %j', (text) => {
    expect(() => hexToBytes(text)).toThrow(TypeError);
    expect(isHex(text)).toBe(false);
  });

  it('asks for a length', () => {
    expect(isHex('0x00', 2)).toBe(false);
    expect(isHex('0x0000', 2)).toBe(true);
  });
});
