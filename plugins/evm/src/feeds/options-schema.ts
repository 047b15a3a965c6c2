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
    description: 'Asset that it prices: an asset group, or `<chain id>:<currency address>`, which takes precedence.',
    examples: ['ether'],
  },
  in: {
    type: 'string',
    minLength: 1,
    description: 'Currency of its price, if not USD: another asset that is priced by these aggregators.',
    examples: ['ether'],
  },
  address: { ...ADDRESS, description: 'The contract, usually a proxy.', examples: [EXAMPLE] },
  heartbeatMs: {
    type: 'integer',
    minimum: 1000,
    maximum: 604_800_000,
    description: 'Maximum age of its answer: the heartbeat that its operators promise, plus a margin.',
    examples: [3_900_000],
  },
  description: {
    type: 'string',
    description: 'Expected description in the contract; guards against an incorrect address.',
    examples: ['ETH / USD'],
  },
  min: {
    ...LIMIT,
    description: "Answers at or below this are ignored, e.g. the contract's own limit.",
    examples: ['0.1'],
  },
  max: { ...LIMIT, description: 'Answers at or above this are ignored.', examples: ['100000'] },
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
      'Uptime feed of a rollup: while its sequencer is down, and for `graceMs` after, no feed of the chain is used.',
      ['address'],
      {
        address: { ...ADDRESS, description: 'The uptime feed.', examples: [EXAMPLE] },
        graceMs: {
          type: 'integer',
          minimum: 0,
          description: 'Time after the sequencer is up again until feeds are used.',
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
  'How prices are derived from on-chain price feeds. Nothing is read if no chain lists a feed.',
  [],
  {
    pollMs: count(50, DAY, 'Time between readings. Milliseconds.', FEED_DEFAULTS.pollMs),
    maxAgeMs: count(100, DAY, 'Maximum age of a reading. Milliseconds.', FEED_DEFAULTS.maxAgeMs),
    rpcProviders: count(
      1,
      20,
      'Number of RPC providers that must return the same answer of a feed.',
      FEED_DEFAULTS.rpcProviders,
    ),
    minFeeds: count(1, 100, 'Number of aggregators that must agree on a price.', FEED_DEFAULTS.minFeeds),
    outlierBps: count(
      1,
      10_000,
      'Maximum distance of an answer from the median; others are ignored. Basis points.',
      FEED_DEFAULTS.outlierBps,
    ),
    jumpBps: count(
      1,
      10_000,
      'Maximum change against the last price that needs no confirmation. Basis points.',
      FEED_DEFAULTS.jumpBps,
    ),
    jumpQuorum: count(1, 100, 'Number of aggregators that must agree on a larger change.', FEED_DEFAULTS.jumpQuorum),
    jumpHoldMs: count(
      0,
      DAY,
      'Time after which a larger change is accepted without that quorum; 0: never. Milliseconds.',
      FEED_DEFAULTS.jumpHoldMs,
    ),
  },
  { default: {} },
);
