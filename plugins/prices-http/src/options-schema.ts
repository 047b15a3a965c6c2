import type { OptionsSchema } from '@causeway/core';
import { PRESETS } from './shapes/presets.js';

const POINTER = { type: 'string', pattern: '^(/([^~/]|~[01])*)*$' };
const PROVIDER_ID = '^[a-z][a-z0-9-]{0,39}$';
const PRINTABLE = '^[\\x20-\\x7e]{1,200}$';

function object(description: string, required: readonly string[], properties: object, extra: object = {}): object {
  return { type: 'object', description, required, properties, additionalProperties: false, ...extra };
}

function ms(minimum: number, description: string, fallback?: number): object {
  const more = fallback === undefined ? { examples: [60_000] } : { default: fallback };
  return { type: 'integer', minimum, maximum: 86_400_000, description: `${description} Milliseconds.`, ...more };
}

/** Without defaults: rules of one currency, which override the common ones. */
function rules(defaults: Readonly<Record<string, number>>): Readonly<Record<string, object>> {
  const rule = (name: string, schema: object, example: number): object => {
    const fallback = defaults[name];
    return {
      type: 'integer',
      ...schema,
      ...(fallback === undefined ? { examples: [example] } : { default: fallback }),
    };
  };
  const bps = { minimum: 1, maximum: 10_000 };
  const hold = 'Time after which a larger change is accepted without that quorum; 0: never. Milliseconds.';
  return {
    minProviders: rule(
      'minProviders',
      { minimum: 1, description: 'Number of providers that must agree on a price.' },
      2,
    ),
    outlierBps: rule(
      'outlierBps',
      { ...bps, description: 'Maximum distance of an answer from the median; others are ignored. Basis points.' },
      100,
    ),
    jumpBps: rule(
      'jumpBps',
      { ...bps, description: 'Maximum change against the last price that needs no confirmation. Basis points.' },
      500,
    ),
    jumpQuorum: rule(
      'jumpQuorum',
      { minimum: 1, description: 'Number of providers that must agree on a larger change.' },
      3,
    ),
    jumpHoldMs: rule('jumpHoldMs', { minimum: 0, maximum: 86_400_000, description: hold }, 120_000),
  };
}

const secrets = (description: string, examples: readonly object[]): object => ({
  type: 'object',
  description: `${description} \`env:NAME\` and \`file:PATH\` are key references; other values are sent unchanged.`,
  propertyNames: { pattern: '^[A-Za-z0-9_-]{1,100}$' },
  additionalProperties: { type: 'string', pattern: '^[\\x20-\\x7e]{1,2000}$' },
  default: {},
  examples,
});

const json = object(
  'For the shape `json`: how to request prices, and where they are in the response (JSON pointers). `{id}` in a pointer is the requested id.',
  ['path', 'price'],
  {
    path: {
      type: 'string',
      pattern: '^/.*\\{(ids|id|json)\\}',
      description:
        'Path below the URL. `{ids}`: the ids, separated by commas; `{json}`: the ids as a JSON array; `{id}`: one request per id.',
      examples: ['/v1/prices?symbols={ids}'],
    },
    price: { ...POINTER, description: 'The price: a JSON number or decimal text.', examples: ['/data/{id}/usd'] },
    at: {
      ...POINTER,
      description: 'Time of the price. Absent: the time of the request.',
      examples: ['/data/{id}/updatedAt'],
    },
    atUnit: { enum: ['seconds', 'milliseconds', 'iso'], description: 'Format of the time.', default: 'seconds' },
    list: {
      ...POINTER,
      description: 'If the response is a list: the list. The other pointers are then relative to its element.',
      examples: ['/data'],
    },
    listId: { ...POINTER, description: 'The id of an element.', examples: ['/symbol'] },
    error: {
      ...POINTER,
      description: 'Errors in a response with status 200: any value except absent, null and an empty list is an error.',
      examples: ['/error'],
    },
  },
  { examples: [{ path: '/v1/prices?symbols={ids}', price: '/data/{id}/usd' }] },
);

const provider = object('One provider.', ['id', 'shape'], {
  id: { type: 'string', pattern: PROVIDER_ID, description: 'Its name in this config.', examples: ['coingecko'] },
  shape: {
    enum: [...Object.keys(PRESETS), 'json'],
    description: 'Format of its requests and responses; `json` is described under `json`.',
    examples: ['coingecko', 'json'],
  },
  url: {
    type: 'string',
    pattern: '^https?://',
    description: 'Base URL. Default: the public URL of the shape.',
    examples: ['https://pro-api.coingecko.com/api/v3'],
  },
  headers: secrets('Headers of each request.', [{ 'x-cg-pro-api-key': 'env:COINGECKO_KEY' }]),
  query: secrets('Query parameters added to each request.', [{ apikey: 'file:keys/feed' }]),
  json,
  batch: { type: 'integer', minimum: 1, maximum: 1000, description: 'Maximum ids per request.', examples: [50] },
  pollMs: ms(10, 'Poll interval of this provider, instead of the common one.'),
  maxAgeMs: ms(100, 'Maximum age of its prices, instead of the common one.'),
});

const currency = object('How one currency is priced.', ['ids'], {
  ids: {
    type: 'object',
    minProperties: 1,
    description:
      'The id of this currency per provider; or `{ id, in }`, if the price is in another currency of this list.',
    examples: [{ coingecko: 'ethereum', coinbase: 'ETH-USD', binance: { id: 'ETHUSDT', in: 'tether' } }],
    propertyNames: { pattern: PROVIDER_ID },
    additionalProperties: {
      anyOf: [
        { type: 'string', pattern: PRINTABLE },
        object('An id, and the currency of its price.', ['id'], {
          id: { type: 'string', pattern: PRINTABLE, description: 'The id.', examples: ['ETHUSDT'] },
          in: { type: 'string', description: 'Name of another currency of this list.', examples: ['tether'] },
        }),
      ],
    },
  },
  ...rules({}),
});

export const optionsSchema: OptionsSchema = object('Prices over HTTP.', ['providers', 'currencies'], {
  providers: {
    type: 'array',
    minItems: 1,
    description: 'Providers of prices.',
    items: provider,
    examples: [
      [
        { id: 'coingecko', shape: 'coingecko' },
        { id: 'kraken', shape: 'kraken' },
      ],
    ],
  },
  currencies: {
    type: 'object',
    minProperties: 1,
    description:
      'Currencies to price, by `<chain id>:<currency address>` or by asset group. The address takes precedence.',
    additionalProperties: currency,
    examples: [{ ether: { ids: { coingecko: 'ethereum', kraken: 'XETHZUSD' } } }],
  },
  ...rules({ minProviders: 2, outlierBps: 200, jumpBps: 1000, jumpQuorum: 3, jumpHoldMs: 120_000 }),
  maxAgeMs: ms(100, 'Maximum age of a price. Some feeds update only every one to five minutes.', 180_000),
  pollMs: ms(10, 'Poll interval per provider.', 15_000),
  jitter: { type: 'number', minimum: 0, maximum: 0.9, description: 'Random share of each pause.', default: 0.1 },
  timeoutMs: ms(10, 'Timeout of a complete response.', 5_000),
  maxBytes: {
    type: 'integer',
    minimum: 1_000,
    maximum: 50_000_000,
    description: 'Maximum size of a response; a larger one is a failure. Bytes.',
    default: 1_000_000,
  },
  parallel: { type: 'integer', minimum: 1, maximum: 32, description: 'Concurrent requests per provider.', default: 4 },
  backoff: object(
    'Pause after a failure, doubled with each further one.',
    [],
    {
      firstMs: ms(10, 'After the first one.', 1_000),
      maxMs: ms(10, 'The longest one.', 30_000),
    },
    { default: {} },
  ),
  breaker: object(
    'Circuit breaker: a provider that keeps failing is not queried for a time; then one request tests it.',
    [],
    {
      failures: { type: 'integer', minimum: 1, description: 'Failures in a row that open the circuit.', default: 5 },
      openMs: ms(10, 'Time that it stays open, doubled after each failed test.', 60_000),
      maxOpenMs: ms(10, 'Maximum time that it stays open, and maximum wait that a provider can request.', 600_000),
    },
    { default: {} },
  ),
}) as OptionsSchema;
