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
  const hold = 'A jump that lasts so long is believed without the quorum; 0: never. Milliseconds.';
  return {
    minProviders: rule('minProviders', { minimum: 1, description: 'Providers that must agree on a price.' }, 2),
    outlierBps: rule(
      'outlierBps',
      { ...bps, description: 'An answer further than this from the median of all is dropped. Basis points.' },
      100,
    ),
    jumpBps: rule(
      'jumpBps',
      { ...bps, description: 'Largest change against the last price that needs no confirmation. Basis points.' },
      500,
    ),
    jumpQuorum: rule('jumpQuorum', { minimum: 1, description: 'Providers that must agree on a larger change.' }, 3),
    jumpHoldMs: rule('jumpHoldMs', { minimum: 0, maximum: 86_400_000, description: hold }, 120_000),
  };
}

const secrets = (description: string, examples: readonly object[]): object => ({
  type: 'object',
  description: `${description} \`env:NAME\` and \`file:PATH\` are key references; anything else is taken as it is.`,
  propertyNames: { pattern: '^[A-Za-z0-9_-]{1,100}$' },
  additionalProperties: { type: 'string', pattern: '^[\\x20-\\x7e]{1,2000}$' },
  default: {},
  examples,
});

const json = object(
  'For the shape `json`: how to ask and where things are. `{id}` in pointers is the id asked for.',
  ['path', 'price'],
  {
    path: {
      type: 'string',
      pattern: '^/.*\\{(ids|id|json)\\}',
      description:
        'Below the URL. `{ids}`: the ids with commas; `{json}`: the ids as a JSON array; `{id}`: one request per id.',
      examples: ['/v1/prices?symbols={ids}'],
    },
    price: { ...POINTER, description: 'The price: a JSON number or decimal text.', examples: ['/data/{id}/usd'] },
    at: {
      ...POINTER,
      description: 'The time that the price is of. Without it, a price is of the time at which it was asked for.',
      examples: ['/data/{id}/updatedAt'],
    },
    atUnit: { enum: ['seconds', 'milliseconds', 'iso'], description: 'How the time is written.', default: 'seconds' },
    list: {
      ...POINTER,
      description: 'Where the answer is a list: the list. The other pointers then start at its element.',
      examples: ['/data'],
    },
    listId: { ...POINTER, description: 'Where an element says which id it is about.', examples: ['/symbol'] },
    error: {
      ...POINTER,
      description: 'Where errors are reported under status 200: anything but nothing, null and an empty list is one.',
      examples: ['/error'],
    },
  },
  { examples: [{ path: '/v1/prices?symbols={ids}', price: '/data/{id}/usd' }] },
);

const provider = object('One provider.', ['id', 'shape'], {
  id: { type: 'string', pattern: PROVIDER_ID, description: 'Name for it in this config.', examples: ['coingecko'] },
  shape: {
    enum: [...Object.keys(PRESETS), 'json'],
    description: 'How it is asked and answers; `json` is described under `json`.',
    examples: ['coingecko', 'json'],
  },
  url: {
    type: 'string',
    pattern: '^https?://',
    description: 'Base URL. The named shapes have the public one of their own.',
    examples: ['https://pro-api.coingecko.com/api/v3'],
  },
  headers: secrets('Headers of each request.', [{ 'x-cg-pro-api-key': 'env:COINGECKO_KEY' }]),
  query: secrets('Query parameters added to each request.', [{ apikey: 'file:keys/feed' }]),
  json,
  batch: { type: 'integer', minimum: 1, maximum: 1000, description: 'Most ids of one request.', examples: [50] },
  pollMs: ms(10, 'Time between its rounds, in place of the one for all.'),
  maxAgeMs: ms(100, 'Older prices of it are not used, in place of the bound for all.'),
});

const currency = object('How one currency is priced.', ['ids'], {
  ids: {
    type: 'object',
    minProperties: 1,
    description:
      'By provider, its id for this currency; or `{ id, in }`, where the price is in another currency of this list.',
    examples: [{ coingecko: 'ethereum', coinbase: 'ETH-USD', binance: { id: 'ETHUSDT', in: 'tether' } }],
    propertyNames: { pattern: PROVIDER_ID },
    additionalProperties: {
      anyOf: [
        { type: 'string', pattern: PRINTABLE },
        object('An id, and what its price is in.', ['id'], {
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
    description: 'Who is asked.',
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
    description: 'What is priced, by asset group or by `<chain id>:<currency address>`, which counts first.',
    additionalProperties: currency,
    examples: [{ ether: { ids: { coingecko: 'ethereum', kraken: 'XETHZUSD' } } }],
  },
  ...rules({ minProviders: 2, outlierBps: 200, jumpBps: 1000, jumpQuorum: 3, jumpHoldMs: 120_000 }),
  maxAgeMs: ms(100, 'Older prices are not used. Some feeds renew theirs only once in a minute or five.', 180_000),
  pollMs: ms(10, 'Time between two rounds of a provider.', 15_000),
  jitter: { type: 'number', minimum: 0, maximum: 0.9, description: 'Share of each pause that is drawn.', default: 0.1 },
  timeoutMs: ms(10, 'No whole answer after this long is a failure.', 5_000),
  maxBytes: {
    type: 'integer',
    minimum: 1_000,
    maximum: 50_000_000,
    description: 'A longer answer is a failure, and is not read to its end. Bytes.',
    default: 1_000_000,
  },
  parallel: { type: 'integer', minimum: 1, maximum: 32, description: 'Requests to one provider at once.', default: 4 },
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
    'A provider that keeps failing is left alone; then one request tries whether it is back.',
    [],
    {
      failures: { type: 'integer', minimum: 1, description: 'Failures in a row that open the circuit.', default: 5 },
      openMs: ms(10, 'How long it stays open, doubled each time the trial fails.', 60_000),
      maxOpenMs: ms(10, 'The longest it stays open, and the longest wait that a provider may ask for.', 600_000),
    },
    { default: {} },
  ),
}) as OptionsSchema;
