import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { numberText, parseExact, writeExact } from '../../src/domain/exact-json.js';
import { pointerFor, pointTo } from '../../src/domain/json-pointer.js';

/** Numbers as floats again. */
function plain(value: unknown): unknown {
  if (typeof value === 'string') return value.startsWith('\u0001') ? Number(value.slice(1)) : value;
  if (Array.isArray(value)) return value.map(plain);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, plain(inner)]));
}

describe('exact JSON', () => {
  it('keeps every digit that was written', () => {
    const text = '{"a": 3021.5700000000000000019, "b": [1e-7, -2, 12345678901234567890], "c": "1.50"}';
    const value = parseExact(text);
    expect(numberText(pointTo(value, '/a'))).toBe('3021.5700000000000000019');
    expect(numberText(pointTo(value, '/b/0'))).toBe('1e-7');
    expect(numberText(pointTo(value, '/b/2'))).toBe('12345678901234567890');
    expect(numberText(pointTo(value, '/c'))).toBe('1.50');
  });

  it('reads what JSON.parse reads, and refuses what it refuses', () => {
    const clean = fc.json().filter((text) => !text.includes('\\u0001') && !text.includes('__proto__'));
    fc.assert(
      fc.property(clean, (text) => {
        expect(plain(parseExact(text))).toEqual(plain(JSON.parse(text)));
      }),
    );
    const nearly = fc.string({ unit: fc.constantFrom(...'{}[]",:\\-+.0129eEtrun fals'), maxLength: 12 });
    const reads = (read: () => unknown): boolean => {
      try {
        read();
        return true;
      } catch {
        return false;
      }
    };
    fc.assert(
      fc.property(nearly, (text) => reads(() => parseExact(text)) === reads(() => JSON.parse(text))),
      { numRuns: 3000 },
    );
  });

  it('is written as it was read, digit for digit, whatever stands in its texts', () => {
    const text = '{"a":3021.5700000000000000019,"b":[1e-7,-2,12345678901234567890],"c":"\\\\u00011\\"2","d":null}';
    expect(writeExact(parseExact(text))).toBe(text);
    expect(writeExact({ kept: parseExact('{"n":1.10}'), text: '1.10' })).toBe('{"kept":{"n":1.10},"text":"1.10"}');
    const clean = fc.json().filter((json) => !json.includes('\\u0001') && !json.includes('__proto__'));
    fc.assert(
      fc.property(clean, (json) => {
        expect(JSON.parse(writeExact(parseExact(json)))).toEqual(JSON.parse(json));
      }),
    );
  });

  it('takes no longer for what was made to be slow', () => {
    for (const text of [`"${'\\"'.repeat(500_000)}`, '['.repeat(500_000), `[${'1.'.repeat(500_000)}`]) {
      const started = performance.now();
      expect(() => parseExact(text)).toThrow();
      expect(performance.now() - started).toBeLessThan(2_000);
    }
  });
});

describe('pointers', () => {
  it('follow RFC 6901 and nothing that is inherited', () => {
    const document = parseExact('{"a/b": {"m~n": [true]}, "": 1}');
    expect(pointTo(document, '/a~1b/m~0n/0')).toBe(true);
    expect(numberText(pointTo(document, '/'))).toBe('1');
    expect(pointTo(document, '')).toBe(document);
    for (const nowhere of ['/a', '/a~1b/m~0n/1', '/constructor', '/a~1b/toString', '/__proto__'])
      expect(pointTo(document, nowhere)).toBeUndefined();
  });

  it('take ids of any characters', () => {
    const id = 'a/b~c$&';
    expect(pointTo(parseExact(JSON.stringify({ [id]: true })), pointerFor('/{id}', id))).toBe(true);
  });
});
