import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { numberText, parseExact } from '../src/shapes/exact-json.js';
import { pointerFor, pointTo } from '../src/shapes/json-pointer.js';
import { PRESETS } from '../src/shapes/presets.js';
import { readAnswer } from '../src/shapes/read-answer.js';
import { requestsFor, type Shape } from '../src/shapes/shape.js';

/** With its numbers as floats again. */
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

describe('requests', () => {
  it('ask for as many ids at once as the shape takes', () => {
    const shape: Shape = { ...PRESETS.coingecko, batch: 2 };
    expect(requestsFor(shape, ['a', 'b', 'c']).map(({ ids }) => ids)).toEqual([['a', 'b'], ['c']]);
    expect(requestsFor(shape, ['a', 'b'])[0]?.path).toContain('ids=a,b&');
    expect(requestsFor(PRESETS.coinbase, ['A-USD', 'B-USD']).map(({ path }) => path)).toEqual([
      '/products/A-USD/ticker',
      '/products/B-USD/ticker',
    ]);
    expect(decodeURIComponent(requestsFor(PRESETS.binance, ['A', 'B'])[0]?.path ?? '')).toContain('symbols=["A","B"]');
    expect(requestsFor(PRESETS.defillama, ['base:0x1', 'x y&?'])[0]?.path).toBe('/prices/current/base:0x1,x%20y%26%3F');
    expect(requestsFor(PRESETS.kraken, [])).toEqual([]);
  });
});

describe('answers', () => {
  const price = (shape: Shape, body: string, id: string) => {
    const answer = readAnswer(shape, body, [id]);
    return answer.ok ? answer.readings.get(id) : answer.why;
  };
  const coin = (inner: string) => `{"eth":{${inner}}}`;

  it('of the public shapes are read as their documentation shows them', () => {
    const gecko = '{"bitcoin":{"usd":67187.3358936566,"usd_market_cap":1317802988326.25,"last_updated_at":1711356300}}';
    expect(price(PRESETS.coingecko, gecko, 'bitcoin')).toEqual({
      result: 'price',
      price: 67187_335893656600000000n,
      at: 1711356300_000,
    });
    const llama =
      '{"coins":{"ethereum:0xdF57":{"decimals":8,"symbol":"X","price":0.022053735051098835,"timestamp":1648000000,"confidence":0.99}}}';
    expect(price(PRESETS.defillama, llama, 'ethereum:0xdF57')).toEqual({
      result: 'price',
      price: 22053735051098835n,
      at: 1648000000_000,
    });
    const coinbase =
      '{"trade_id":86326522,"price":"6268.48","size":"0.00698254","time":"2020-03-20T00:22:57.833897Z","bid":"6265.15","ask":"6267.71","volume":"53602.03940154"}';
    expect(price(PRESETS.coinbase, coinbase, 'BTC-USD')).toEqual({
      result: 'price',
      price: 6268_480000000000000000n,
      at: Date.parse('2020-03-20T00:22:57.833Z'),
    });
    const binance = '[{"symbol":"LTCBTC","price":"4.00000200"},{"symbol":"ETHBTC","price":"0.07946600"}]';
    expect(price(PRESETS.binance, binance, 'ETHBTC')).toEqual({
      result: 'price',
      price: 79466n * 10n ** 12n,
      at: undefined,
    });
    const kraken =
      '{"error":[],"result":{"XXBTZUSD":{"a":["52609.60000","1","1.000"],"b":["52609.50000","1","1.000"],"c":["52641.10000","0.00080000"],"t":[1,2]}}}';
    expect(price(PRESETS.kraken, kraken, 'XXBTZUSD')).toEqual({
      result: 'price',
      price: 52641_100000000000000000n,
      at: undefined,
    });
  });

  it.each([
    ['"usd":1,"last_updated_at":1711356300', 'price'],
    ['"eur":1', 'missing'],
    ['"usd":0,"last_updated_at":1', 'nonsense'],
    ['"usd":-5,"last_updated_at":1', 'nonsense'],
    ['"usd":null,"last_updated_at":1', 'nonsense'],
    ['"usd":[7],"last_updated_at":1', 'nonsense'],
    ['"usd":true,"last_updated_at":1', 'nonsense'],
    ['"usd":"","last_updated_at":1', 'nonsense'],
    ['"usd":1e99,"last_updated_at":1', 'nonsense'],
    ['"usd":1', 'nonsense'],
    ['"usd":1,"last_updated_at":0', 'nonsense'],
    ['"usd":1,"last_updated_at":""', 'nonsense'],
    ['"usd":1,"last_updated_at":"soon"', 'nonsense'],
  ])('%s is %s', (inner, result) => {
    expect(price(PRESETS.coingecko, coin(inner), 'eth')).toMatchObject({ result });
  });

  it('about somebody else say nothing about this one', () => {
    expect(price(PRESETS.coingecko, '{}', 'eth')).toEqual({ result: 'missing' });
    expect(price(PRESETS.coingecko, '[]', 'eth')).toEqual({ result: 'missing' });
    expect(price(PRESETS.binance, '[{"symbol":"OTHER","price":"1"},{"price":"2"},null]', 'X')).toEqual({
      result: 'missing',
    });
  });

  it('that are no answers say why', () => {
    expect(price(PRESETS.coingecko, '<html>', 'eth')).toBe('the answer is not JSON');
    expect(price(PRESETS.binance, '{"code":-1121,"msg":"Invalid symbol."}', 'X')).toBe('the answer has another shape');
    expect(price(PRESETS.kraken, '{"error":["EQuery:Unknown asset pair"]}', 'X')).toBe(
      'it answers with an error: ["EQuery:Unknown asset pair"]',
    );
  });

  it('of which the provider is not sure do not count', () => {
    const llama = (more: string) => `{"coins":{"x":{"price":1,"timestamp":1700000000${more}}}}`;
    expect(price(PRESETS.defillama, llama(',"confidence":0.9'), 'x')).toMatchObject({ result: 'price' });
    expect(price(PRESETS.defillama, llama(',"confidence":0.89'), 'x')).toEqual({ result: 'unsure' });
    expect(price(PRESETS.defillama, llama(''), 'x')).toEqual({ result: 'unsure' });
  });
});
