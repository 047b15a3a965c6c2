import { describe, expect, it } from 'vitest';
import { optionsSchema } from '../src/index.js';
import { filled, register } from './support/services.js';

const PROVIDERS = [
  { id: 'a', shape: 'coingecko' },
  { id: 'b', shape: 'kraken' },
];
const CURRENCIES = { ether: { ids: { a: 'ethereum', b: 'XETHZUSD' } } };
const refused = (options: object) => {
  try {
    register({ providers: PROVIDERS, currencies: CURRENCIES, ...options });
  } catch (error) {
    return error;
  }
  return undefined;
};

describe('the options', () => {
  it('have safe defaults', () => {
    expect(filled({ providers: PROVIDERS, currencies: CURRENCIES })).toMatchObject({
      minProviders: 2,
      outlierBps: 200,
      jumpBps: 1000,
      jumpQuorum: 3,
      maxAgeMs: 180_000,
      pollMs: 15_000,
      backoff: { firstMs: 1_000, maxMs: 30_000 },
      breaker: { failures: 5, openMs: 60_000, maxOpenMs: 600_000 },
    });
    expect(refused({})).toBeUndefined();
  });

  it.each([
    ['a provider twice', { providers: [PROVIDERS[0], PROVIDERS[0]] }, 'providers[1].id'],
    ['a provider that is never asked', { providers: [...PROVIDERS, { id: 'c', shape: 'binance' }] }, 'providers[2].id'],
    [
      'an id of an unknown provider',
      { currencies: { ether: { ids: { a: 'x', b: 'y', z: 'x' } } } },
      'currencies.ether.ids.z',
    ],
    ['fewer providers than must agree', { minProviders: 3 }, 'currencies.ether.ids'],
    [
      'the same for one currency',
      { currencies: { ether: { ids: { a: 'x', b: 'y' }, minProviders: 3 } } },
      'currencies.ether.ids',
    ],
    [
      'a currency told in a stranger',
      { currencies: { ether: { ids: { a: 'x', b: { id: 'y', in: 'tether' } } } } },
      'currencies.ether.ids.b.in',
    ],
    [
      'currencies told in each other',
      {
        minProviders: 1,
        currencies: { x: { ids: { a: { id: 'x', in: 'y' } } }, y: { ids: { b: { id: 'y', in: 'x' } } } },
      },
      'currencies',
    ],
    ['a name twice', { currencies: { ...CURRENCIES, ETHER: CURRENCIES.ether } }, 'currencies.ether'],
    [
      'a shape without pointers',
      { providers: [PROVIDERS[0], { id: 'b', shape: 'json', url: 'http://x' }] },
      'providers[1].json',
    ],
    [
      'a shape of its own without a URL',
      { providers: [PROVIDERS[0], { id: 'b', shape: 'json', json: { path: '/{id}', price: '/p' } }] },
      'providers[1].url',
    ],
    [
      'a list without names',
      {
        providers: [
          PROVIDERS[0],
          { id: 'b', shape: 'json', url: 'http://x', json: { path: '/{ids}', price: '/p', list: '' } },
        ],
      },
      'providers[1].json.listId',
    ],
    [
      'pointers for a shape that has its own',
      { providers: [PROVIDERS[0], { ...PROVIDERS[1], json: { path: '/{id}', price: '/p' } }] },
      'providers[1].json',
    ],
    [
      'a key in the URL',
      { providers: [PROVIDERS[0], { ...PROVIDERS[1], url: 'http://x/?key=1' }] },
      'providers[1].url',
    ],
    [
      'a password in the URL',
      { providers: [PROVIDERS[0], { ...PROVIDERS[1], url: 'http://u:p@x' }] },
      'providers[1].url',
    ],
  ])('refuse %s', (_, options, optionPath) => {
    expect(refused(options)).toMatchObject({ name: 'OptionError', optionPath });
  });

  it.each([
    ['no provider', { providers: [] }],
    ['an unknown shape', { providers: [{ id: 'a', shape: 'oracle' }] }],
    ['a pointer that is none', { providers: [{ id: 'a', shape: 'json', json: { path: '/{id}', price: 'p' } }] }],
    ['a path without ids', { providers: [{ id: 'a', shape: 'json', json: { path: '/all', price: '/p' } }] }],
    ['a currency without ids', { currencies: { ether: { ids: {} } } }],
    ['an unknown key', { poll: 5 }],
    ['a header with a line break', { providers: [{ id: 'a', shape: 'kraken', headers: { x: 'a\nb' } }] }],
    ['no provider that must agree', { minProviders: 0 }],
  ])('refuse %s by their schema', (_, options) => {
    expect(() => filled({ providers: PROVIDERS, currencies: CURRENCIES, ...options })).toThrow();
  });

  it('are described, each with a default or an example', () => {
    interface Property {
      readonly description?: string;
      readonly default?: unknown;
      readonly examples?: unknown;
      readonly properties?: Record<string, Property>;
      readonly items?: Property;
      readonly additionalProperties?: Property | boolean;
    }
    const poor: string[] = [];
    let seen = 0;
    const look = (path: string, property: Property): void => {
      seen += 1;
      const more = property.additionalProperties;
      const inner = property.properties ?? property.items?.properties ?? (typeof more === 'object' && more.properties);
      if (!property.description) poor.push(`${path}: no description`);
      if (!inner && property.default === undefined && property.examples === undefined) poor.push(`${path}: no example`);
      for (const [name, child] of Object.entries(inner || {})) look(`${path}.${name}`, child);
    };
    look('options', optionsSchema as Property);
    expect(poor).toEqual([]);
    expect(seen).toBeGreaterThan(35);
  });
});
