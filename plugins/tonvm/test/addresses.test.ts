import { Address } from '@ton/core';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { accountOf, addressBytes, NATIVE, parseAddress, textOf } from '../src/addresses.js';

const HEX = 'cd0123456789abcdef0123456789abcdef0123456789abcdef0123456789abff';
const account = new Address(0, Buffer.from(HEX, 'hex'));
const canonical = account.toString({ bounceable: false });

const canonicalOf = (text: string, allows?: { testOnly: boolean }) => {
  const parsed = parseAddress(text, allows);
  return parsed.ok ? parsed.value : parsed.reason;
};

describe('an address', () => {
  it('has one canonical text, whatever its spelling', () => {
    const spellings = [
      account.toRawString(),
      account.toRawString().toUpperCase(),
      ...[true, false].flatMap((bounceable) =>
        [true, false].map((urlSafe) => account.toString({ bounceable, urlSafe })),
      ),
    ];
    expect(new Set(spellings.map((text) => canonicalOf(text)))).toEqual(new Set([canonical]));
    expect(canonical.startsWith('UQ')).toBe(true);
    expect(canonicalOf(canonical)).toBe(canonical);
  });

  it('of 32 zero bytes is the sentinel of the native coin', () => {
    const zero = new Address(0, Buffer.alloc(32));
    for (const text of [NATIVE, zero.toRawString(), zero.toString({ bounceable: false })])
      expect(canonicalOf(text)).toBe(NATIVE);
    expect(textOf(zero)).toBe(NATIVE);
  });

  it('has 32 bytes in orders', () => {
    expect(Buffer.from(addressBytes(canonical)).toString('hex')).toBe(HEX);
    expect(addressBytes(NATIVE)).toEqual(new Uint8Array(32));
  });

  it('is taken with the mark of test networks only where that is allowed', () => {
    const text = account.toString({ testOnly: true });
    expect(canonicalOf(text)).toMatch(/test networks/);
    expect(canonicalOf(text, { testOnly: true })).toBe(canonical);
  });

  it('is of workchain 0', () => {
    const master = new Address(-1, account.hash);
    expect(canonicalOf(master.toString())).toMatch(/workchain -1/);
    expect(canonicalOf(master.toRawString())).toMatch(/workchain -1/);
    expect(canonicalOf(`1:${HEX}`)).toMatch(/workchain 1/);
    expect(canonicalOf(`00:${HEX}`)).toBe(canonical);
  });

  it('is refused in any other form', () => {
    const urlUnsafe = Address.parse(`0:${'fb'.repeat(32)}`).toString({ urlSafe: false });
    expect(urlUnsafe).toMatch(/[+/]/);
    for (const text of [
      ...['', ' ', canonical.slice(0, -1), `${canonical}A`, ` ${canonical}`, `${canonical}\n`],
      canonical.replace(/.$/, (last) => (last === 'A' ? 'B' : 'A')),
      urlUnsafe.replace(/[+/]/, (sign) => (sign === '+' ? '-' : '_')),
      ...[`0:${HEX.slice(1)}`, `0:0x${HEX}`, HEX, `-0:${HEX}1`, `x:${HEX}`],
      'AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA',
    ])
      expect(parseAddress(text).ok, text).toBe(false);
  });

  it('with any one letter changed is no address, or the same account in another spelling', () => {
    const letters = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';
    fc.assert(
      fc.property(fc.nat(47), fc.nat(63), (at, n) => {
        const text = canonical.slice(0, at) + letters[n] + canonical.slice(at + 1);
        if (text !== canonical) expect(parseAddress(text).ok).toBe(false);
      }),
    );
  });

  it('is read as the library of the chain reads it', () => {
    fc.assert(
      fc.property(fc.uint8Array({ minLength: 32, maxLength: 32 }), (hash) => {
        const address = new Address(0, Buffer.from(hash));
        const text = canonicalOf(address.toString());
        expect(accountOf(text).equals(address)).toBe(true);
      }),
    );
  });
});
