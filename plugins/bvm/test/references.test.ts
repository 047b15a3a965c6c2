import type { FillLeg, Hex } from '@causeway/core';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { NATIVE } from '../src/addresses.js';
import {
  fits,
  isCertain,
  mostLegs,
  namedLegs,
  referenceScript,
  wholeReference,
} from '../src/transactions/references.js';

const id = fc
  .uint8Array({ minLength: 32, maxLength: 32 })
  .map((bytes): Hex => `0x${Buffer.from(bytes).toString('hex')}`);

function fill(orderId: Hex): FillLeg {
  return { kind: 'fill', legId: orderId, orderId, currency: NATIVE, amount: 1n, recipient: '', deadline: 0 };
}

function refund(useKey: Hex) {
  return { ...fill(useKey), kind: 'refund' as const, fundingKey: 'f', useKey, expiration: 0 };
}

function transactionOf(script: Buffer, legs: number) {
  const paid = Array.from({ length: legs }, () => ({ value: 1n, script: Buffer.from([0x51]) }));
  return { outputs: [...paid, { value: 0n, script }, { value: 5n, script: Buffer.from([0x52]) }] };
}

describe('the name of a single fill', () => {
  it('is its order as a deposit spells it', () => {
    const orderId: Hex = `0x${'ab'.repeat(32)}`;
    const script = referenceScript([fill(orderId)], 83);
    expect(script.toString('latin1')).toBe(`\x6a\x42${orderId}`);
    const named = namedLegs(transactionOf(script, 1));
    expect(named.map(wholeReference)).toEqual([orderId]);
  });

  it('is shorter where nodes relay less', () => {
    const orderId: Hex = `0x${'ab'.repeat(32)}`;
    const script = referenceScript([fill(orderId)], 42);
    expect(script.length).toBe(2 + 3 + 32);
    expect(namedLegs(transactionOf(script, 1)).map(wholeReference)).toEqual([orderId]);
  });
});

describe('the names of several legs', () => {
  it('fit their references and are no longer than nodes relay, for any number of them', () => {
    fc.assert(
      fc.property(fc.array(id, { minLength: 1, maxLength: 102 }), fc.constantFrom(42, 83), (ids, most) => {
        const legs = ids.map((one, n) => (n % 2 === 0 ? refund(one) : fill(one)));
        if (mostLegs(most, 1) < legs.length) return;
        const script = referenceScript(legs, most);
        expect(script.length).toBeLessThanOrEqual(most);
        const named = namedLegs(transactionOf(script, legs.length));
        expect(named.map(({ output }) => output)).toEqual(ids.map((_, n) => n));
        for (const [n, one] of named.entries()) expect(fits(one, ids[n] ?? '0x')).toBe(true);
      }),
      { numRuns: 300 },
    );
  });

  it('are whole for two, certain up to 19, and some bits for a hundred', () => {
    const ids = Array.from({ length: 102 }, (_, n): Hex => `0x${n.toString(16).padStart(2, '0').padEnd(64, '7')}`);
    const named = (count: number) => {
      const legs = ids.slice(0, count).map(fill);
      return namedLegs(transactionOf(referenceScript(legs, 83), count));
    };
    expect(named(2).map(wholeReference)).toEqual(ids.slice(0, 2));
    expect(named(3).every((one) => isCertain(one) && wholeReference(one) === undefined)).toBe(true);
    expect(named(19).every(isCertain)).toBe(true);
    expect(named(20).some(isCertain)).toBe(false);
    expect(named(100)[0]?.bits).toBe(6);
    expect(mostLegs(83, 6)).toBe(102);
  });

  it('distinguish orders that do not begin alike', () => {
    const [one] = namedLegs(transactionOf(referenceScript([refund(`0x${'11'.repeat(32)}`)], 83), 1));
    if (one === undefined) throw new Error('no name');
    expect(fits(one, `0x${'11'.repeat(31)}10`)).toBe(false);
    expect(fits(one, `0x${'11'.repeat(32)}`)).toBe(true);
  });
});

describe('scripts that name nothing', () => {
  const good = referenceScript([refund(`0x${'11'.repeat(32)}`)], 83);

  it.each<[string, Buffer]>([
    ['of another kind', Buffer.from('0014', 'hex')],
    ['with other text', Buffer.from('6a0568656c6c6f', 'hex')],
    ['cut off', good.subarray(0, -1)],
    ['of another version', Buffer.concat([good.subarray(0, 2), Buffer.from([2]), good.subarray(3)])],
    ['empty', Buffer.from('6a', 'hex')],
  ])('%s', (_, script) => {
    expect(namedLegs(transactionOf(script, 1))).toEqual([]);
  });

  it('nor does one that stands in another place than behind its legs', () => {
    expect(namedLegs(transactionOf(good, 1))).toHaveLength(1);
    expect(namedLegs(transactionOf(good, 2))).toEqual([]);
    expect(namedLegs(transactionOf(referenceScript([fill(`0x${'ab'.repeat(32)}`)], 83), 2))).toEqual([]);
  });
});
