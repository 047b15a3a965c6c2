import { SWAP_DEFAULTS } from './options.js';

const ADDRESS = { type: 'string', pattern: '^0x[0-9a-fA-F]{40}$' };
const DEPLOYED = { type: 'string', pattern: '^(0x[0-9a-fA-F]{40}|devnet)$' };

function object(description: string, required: readonly string[], properties: object, extra: object = {}): object {
  return { type: 'object', description, required, properties, additionalProperties: false, ...extra };
}

const fee = (description: string, extra: object = {}) => ({
  type: 'integer',
  minimum: 0,
  maximum: 999_999,
  description,
  ...extra,
});

const PAIRS = {
  factory: '0x5c69bee701ef814a2b6a3edd4b1652cb9cc5aa6f',
  router: '0x7a250d5630b4cf539739df2c5dacb4c659f2488d',
} as const;
const POOLS = {
  factory: '0x1f98431c8ad98523631ae4a59f267346ea31f984',
  router: '0xe592427a0aece92de3edee1f18e0157c05861564',
} as const;

const contracts = ({ factory, router }: { readonly factory: string; readonly router: string }) => ({
  factory: {
    ...DEPLOYED,
    description: 'Address of the factory contract. `devnet` on a local chain, which deploys a factory with pools.',
    examples: [factory, 'devnet'],
  },
  router: {
    ...DEPLOYED,
    description: 'Address of the router contract. `devnet` on a local chain, which deploys a router.',
    examples: [router, 'devnet'],
  },
});

export const chainSwaps = object(
  'Swap venues on this chain. Pools between its currencies are read after each block, through its providers. Needs `contracts.wrappedNative`.',
  [],
  {
    maxHops: {
      type: 'integer',
      minimum: 1,
      maximum: 4,
      description: 'Maximum pools of one route.',
      default: SWAP_DEFAULTS.maxHops,
    },
    maxAgeMs: {
      type: 'integer',
      minimum: 1_000,
      description: "Maximum age of a pool's state that quotes use. Default: three blocks, at least 10 s.",
      examples: [36_000],
    },
    through: {
      type: 'array',
      description: "Further tokens that routes may use as intermediate steps, in addition to the chain's currencies.",
      items: { ...ADDRESS, description: 'A token.', examples: [PAIRS.factory] },
      default: [],
    },
    uniswapV2: object(
      'Pairs of Uniswap V2, or of a fork of it.',
      ['factory', 'router'],
      {
        ...contracts(PAIRS),
        fee: fee('Fee of pairs, millionths of the input.', { default: SWAP_DEFAULTS.pairFee }),
      },
      { examples: [PAIRS] },
    ),
    uniswapV3: object(
      'Pools of Uniswap V3 (`SwapRouter`), or of a fork of it.',
      ['factory', 'router'],
      {
        ...contracts(POOLS),
        fees: {
          type: 'array',
          minItems: 1,
          uniqueItems: true,
          description: 'Fee tiers of the pools to search for, millionths.',
          items: fee('A fee.', { examples: [500] }),
          default: SWAP_DEFAULTS.poolFees,
        },
        words: {
          type: 'integer',
          minimum: 1,
          maximum: 60,
          description: 'Range of ticks that is read around the price, in words of 256 ticks on either side.',
          default: SWAP_DEFAULTS.words,
        },
      },
      { examples: [POOLS] },
    ),
  },
  { examples: [{ uniswapV3: POOLS }] },
);
