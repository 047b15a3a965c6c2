import { describe, expect, it } from 'vitest';
import { PRESETS } from '../src/shapes/presets.js';
import { readAnswer } from '../src/shapes/read-answer.js';
import { requestsFor, type Shape } from '../src/shapes/shape.js';

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

  it('about another account say nothing about this one', () => {
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
