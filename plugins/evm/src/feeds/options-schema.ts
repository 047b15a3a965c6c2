import { FEED_DEFAULTS } from './options.js';

const ADDRESS = { type: 'string', pattern: '^0x[0-9a-fA-F]{40}$' };
const EXAMPLE = '0x5f4ec3df9cbd43714fe2740f5e3616155c5b8419';
const LIMIT = { type: 'string', pattern: '^[0-9]{1,15}(\\.[0-9]{1,18})?$' };

function object(description: string, required: readonly string[], properties: object, extra: object = {}): object {
  return { type: 'object', description, required, properties, additionalProperties: false, ...extra };
}

const aggregator = object('One aggregator (`latestRoundData`, `decimals`).', ['prices', 'address', 'heartbeatMs'], {
  prices: {
    type: 'string',
    minLength: 1,
    description: 'What it prices: an asset group, or `<chain id>:<currency address>`, which counts first.',
    examples: ['ether'],
  },
  in: {
    type: 'string',
    minLength: 1,
    description: 'What its price is in when that is not USD: another asset that aggregators here price.',
    examples: ['ether'],
  },
  address: { ...ADDRESS, description: 'The contract, usually a proxy.', examples: [EXAMPLE] },
  heartbeatMs: {
    type: 'integer',
    minimum: 1000,
    maximum: 604_800_000,
    description: 'Rounds older than this are not used: the heartbeat that its operators promise, and a margin.',
    examples: [3_900_000],
  },
  description: {
    type: 'string',
    description: 'What the contract must say about itself; guards against a wrong address.',
    examples: ['ETH / USD'],
  },
  min: {
    ...LIMIT,
    description: "At or below it an answer is not believed, e.g. the contract's own limit.",
    examples: ['0.1'],
  },
  max: { ...LIMIT, description: 'At or above it an answer is not believed.', examples: ['100000'] },
});

export const chainFeeds = object(
  'On-chain price feeds, read through the providers of this chain.',
  ['aggregators'],
  {
    aggregators: {
      type: 'array',
      minItems: 1,
      description: 'The contracts.',
      items: aggregator,
      examples: [[{ prices: 'ether', address: EXAMPLE, heartbeatMs: 3_900_000 }]],
    },
    sequencer: object(
      'Uptime feed of a rollup: while its sequencer is down, and for a while after, no feed of the chain is believed.',
      ['address'],
      {
        address: { ...ADDRESS, description: 'The uptime feed.', examples: [EXAMPLE] },
        graceMs: {
          type: 'integer',
          minimum: 0,
          description: 'How long after it came back feeds are believed again.',
          default: 3_600_000,
        },
      },
      { examples: [{ address: EXAMPLE }] },
    ),
  },
  { examples: [{ aggregators: [{ prices: 'ether', address: EXAMPLE, heartbeatMs: 3_900_000 }] }] },
);

function count(minimum: number, maximum: number, description: string, fallback: number): object {
  return { type: 'integer', minimum, maximum, description, default: fallback };
}

const DAY = 86_400_000;

export const feedRules = object(
  'How on-chain price feeds become prices. Nothing is read where no chain lists any.',
  [],
  {
    pollMs: count(50, DAY, 'Time between readings. Milliseconds.', FEED_DEFAULTS.pollMs),
    maxAgeMs: count(100, DAY, 'Readings older than this are not used. Milliseconds.', FEED_DEFAULTS.maxAgeMs),
    rpcProviders: count(1, 20, 'RPC providers that must say the same about a feed.', FEED_DEFAULTS.rpcProviders),
    minFeeds: count(1, 100, 'Aggregators that must agree on a price.', FEED_DEFAULTS.minFeeds),
    outlierBps: count(
      1,
      10_000,
      'An answer further than this from the median of all is dropped. Basis points.',
      FEED_DEFAULTS.outlierBps,
    ),
    jumpBps: count(
      1,
      10_000,
      'Largest change against the last price that needs no confirmation. Basis points.',
      FEED_DEFAULTS.jumpBps,
    ),
    jumpQuorum: count(1, 100, 'Aggregators that must agree on a larger change.', FEED_DEFAULTS.jumpQuorum),
    jumpHoldMs: count(
      0,
      DAY,
      'A jump that lasts so long is believed without the quorum; 0: never. Milliseconds.',
      FEED_DEFAULTS.jumpHoldMs,
    ),
  },
  { default: {} },
);
