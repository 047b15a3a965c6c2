import { describe, expect, it } from 'vitest';
import { optionsSchema } from '../src/index.js';
import { JSON_SHAPE, ROUTER } from './support/aggregator-server.js';
import { filled, register } from './support/services.js';

const CHAINS = [{ id: 1, targets: [ROUTER] }];
const { exactInput } = JSON_SHAPE;
const refused = (options: object, network: 'mainnet' | 'local' = 'mainnet') => {
  try {
    register({ shape: 'zeroEx', chains: CHAINS, ...options }, { network });
  } catch (error) {
    return error;
  }
  return undefined;
};
const own = (quote: object, build?: object) => ({
  ...{ shape: 'json', url: 'https://x.example' },
  json: { exactInput: { quote: { ...exactInput.quote, ...quote }, ...(build && { build }) } },
});

describe('the options', () => {
  it('have safe defaults', () => {
    expect(filled({ shape: 'zeroEx', chains: CHAINS })).toMatchObject({
      ...{ allowInside: false, maxBytes: 500_000, maxCallBytes: 16_384, keepMs: 1_500 },
      timeouts: { connectMs: 1_000, answerMs: 2_500, totalMs: 3_000 },
      room: { atOnce: 4, waiting: 16, perSecond: 5, burst: 10 },
      breaker: { failures: 5, openMs: 10_000, maxOpenMs: 300_000 },
    });
    expect(refused({})).toBeUndefined();
    expect(refused(own({}))).toBeUndefined();
  });

  it.each<[string, object, string]>([
    ['a chain twice', { chains: [...CHAINS, ...CHAINS] }, 'chains[1].id'],
    ['the zero address as target', { chains: [{ id: 1, targets: [`0x${'0'.repeat(40)}`] }] }, 'chains[0].targets'],
    [
      'the zero address as spender',
      { chains: [{ ...CHAINS[0], spenders: [`0x${'0'.repeat(40)}`] }] },
      'chains[0].spenders',
    ],
    ['a shape of its own that is not told', { shape: 'json', url: 'https://x.example' }, 'json'],
    ['a shape of its own without a URL', { shape: 'json', json: { exactInput } }, 'url'],
    ['another shape for one that has its own', { json: { exactInput } }, 'json'],
    ['a quote that tells nothing', own({ read: {} }), 'json.exactInput.quote.read.amountOut'],
    [
      'a quote without a call, and nothing to build',
      own({ read: { amountOut: '/o' } }),
      'json.exactInput.quote.read.to',
    ],
    ['a name of nothing', own({ path: '/q?x={slippage}' }), 'json.exactInput.quote'],
    ['a limit before there is one', own({ path: '/q?x={limit}' }, exactInput.quote), 'json.exactInput.quote'],
    ['a body of a GET', own({ body: { a: 1 } }), 'json.exactInput.quote.body'],
    ['calls without data', own({}, { path: '/b', read: { to: '/to' } }), 'json.exactInput.build.read.data'],
    ['keys in the URL', { url: 'https://x.example/?key=1' }, 'url'],
    ['a password in the URL', { url: 'https://u:p@x.example' }, 'url'],
    ['what everybody may read', { url: 'http://x.example' }, 'url'],
    ['this machine', { url: 'https://127.0.0.1' }, 'url'],
    ['this machine by another name', { url: 'https://[::ffff:127.0.0.1]' }, 'url'],
    ['its network', { url: 'https://192.168.1.1' }, 'url'],
    ['what hands out keys of machines', { url: 'https://169.254.169.254' }, 'url'],
  ])('refuse %s', (_, options, optionPath) => {
    expect(refused(options)).toMatchObject({ name: 'OptionError', optionPath });
  });

  it('let a name lead to this machine where that is meant, and on local networks', () => {
    expect(refused({ url: 'http://127.0.0.1:1' }, 'local')).toBeUndefined();
    expect(refused({ url: 'http://127.0.0.1:1', allowInside: true })).toBeUndefined();
  });

  it.each<[string, object]>([
    ['no chain', { chains: [] }],
    ['no target', { chains: [{ id: 1, targets: [] }] }],
    ['a target that is none', { chains: [{ id: 1, targets: ['vitalik.eth'] }] }],
    ['an unknown shape', { shape: 'uniswap' }],
    ['a pointer that is none', own({ read: { amountOut: 'out' } })],
    ['a path with a line break', own({ path: '/a\n' })],
    ['an unknown key', { polls: 5 }],
    ['a header with a line break', { headers: { x: 'a\nb' } }],
  ])('refuse %s by their schema', (_, options) => {
    expect(() => filled({ shape: 'zeroEx', chains: CHAINS, ...options })).toThrow();
  });

  it('are described, each with a default or an example', () => {
    interface Property {
      readonly description?: string;
      readonly default?: unknown;
      readonly examples?: unknown;
      readonly properties?: Record<string, Property>;
      readonly items?: Property;
    }
    const poor: string[] = [];
    let seen = 0;
    const look = (path: string, property: Property): void => {
      seen += 1;
      const inner = property.properties ?? property.items?.properties;
      if (!property.description) poor.push(`${path}: no description`);
      if (!inner && property.default === undefined && property.examples === undefined) poor.push(`${path}: no example`);
      for (const [name, child] of Object.entries(inner ?? {})) look(`${path}.${name}`, child);
    };
    look('options', optionsSchema as Property);
    expect(poor).toEqual([]);
    expect(seen).toBeGreaterThan(50);
  });
});
