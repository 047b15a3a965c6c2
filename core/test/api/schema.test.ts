import { Ajv2020 } from 'ajv/dist/2020.js';
import { describe, expect, it } from 'vitest';
import { Hoist } from '../../src/api/openapi/hoist.js';
import { templateOf } from '../../src/api/openapi/operation.js';
import { described, integer, list, named, nullable, object, oneOf, type TypeOf, text } from '../../src/api/schema.js';

const COIN = named('Coin', object({ symbol: text() }, { decimals: integer({ minimum: 0 }) }));

describe('schemas', () => {
  const accepts = (schema: object, value: unknown) =>
    new Ajv2020({ strict: true, allowUnionTypes: true }).validate(schema, value);

  it('say the type that they guarantee', () => {
    const coin: TypeOf<typeof COIN> = { symbol: 'A' };
    const COINS = list(COIN);
    const coins: TypeOf<typeof COINS> = [coin, { symbol: 'B', decimals: 1 }];
    expect(accepts(COINS, coins)).toBe(true);
    expect(accepts(COINS, [{ decimals: 1 }])).toBe(false);
  });

  it.each([
    ['text', text({ minLength: 1 }), 'a', ''],
    ['one of several', oneOf(['a', 'b']), 'b', 'c'],
    ['a named object', COIN, { symbol: 'A' }, {}],
  ])('let null in next to %s, and nothing else', (_, schema, right, wrong) => {
    expect(accepts(nullable(schema), null)).toBe(true);
    expect(accepts(nullable(schema), right)).toBe(true);
    expect(accepts(nullable(schema), wrong)).toBe(false);
    expect(accepts(schema, null)).toBe(false);
  });
});

describe('components', () => {
  it('hold a named schema once, and leave what is said about it where it was said', () => {
    const hoist = new Hoist();
    const schema = hoist.schema(object({ a: COIN, b: nullable(COIN), c: described(COIN, 'The third.') }));
    const $ref = '#/components/schemas/Coin';
    expect(schema['properties']).toEqual({
      a: { $ref },
      b: { anyOf: [{ $ref }, { type: 'null' }] },
      c: { $ref, description: 'The third.' },
    });
    expect(hoist.components()).toEqual({
      Coin: {
        type: 'object',
        required: ['symbol'],
        properties: { symbol: { type: 'string' }, decimals: { type: 'integer', minimum: 0 } },
      },
    });
  });

  it('refuse two schemas of one name that differ', () => {
    const hoist = new Hoist();
    hoist.schema(COIN);
    expect(() => hoist.schema(named('Coin', object({ symbol: text() })))).toThrow('called Coin');
  });
});

it('writes paths as OpenAPI does', () => {
  expect(templateOf('/plugins/:id{/*path}')).toBe('/plugins/{id}/{path}');
  expect(templateOf('/requests/:id/signature')).toBe('/requests/{id}/signature');
});
