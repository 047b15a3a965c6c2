import type { OptionsSchema } from '@causeway/core';
import { DATA_FEES } from './data-fees.js';
import { errorOptions } from './explain-call/options.js';
import { chainFeeds, feedRules } from './feeds/options-schema.js';
import { chainSwaps } from './swaps/options-schema.js';

const ADDRESS = { type: 'string', pattern: '^0x[0-9a-fA-F]{40}$' };
const EXAMPLE_ADDRESS = '0x5fbdb2315678afecb367f032d93f642f64180aa3';
const WEI = { type: 'string', pattern: '^[0-9]+$' };

function object(description: string, required: readonly string[], properties: object, extra: object = {}): object {
  return { type: 'object', description, required, properties, additionalProperties: false, ...extra };
}

const signers = object(
  'Key references of the roles: `env:NAME` or `file:PATH` (relative to the config file).',
  ['fill', 'allocator'],
  {
    fill: {
      type: 'string',
      description: 'Key that holds inventory, sends fills, refunds and collects, and pays their gas.',
      examples: ['env:CAUSEWAY_FILL_KEY', 'file:keys/fill'],
    },
    allocator: {
      type: 'string',
      description: 'Key that authorises withdrawals from the depository. It never sends and needs no gas.',
      examples: ['env:CAUSEWAY_ALLOCATOR_KEY', 'file:keys/allocator'],
    },
    sweeper: {
      type: 'string',
      description:
        'Key that sends what arrived at deposit addresses to the depository. It only holds native coin for gas, and is another one than `fill`. Without it there are no deposit addresses.',
      examples: ['env:CAUSEWAY_SWEEPER_KEY', 'file:keys/sweeper'],
    },
    executor: {
      type: 'string',
      description:
        "Key that makes calls for others (`POST /execute`), which app balances pay. It only holds native coin for gas, and is no other role's key. Without it there are no such calls.",
      examples: ['env:CAUSEWAY_EXECUTOR_KEY', 'file:keys/executor'],
    },
  },
  { examples: [{ fill: 'env:CAUSEWAY_FILL_KEY', allocator: 'env:CAUSEWAY_ALLOCATOR_KEY' }] },
);

const endpoint = object('One RPC provider.', ['http'], {
  http: {
    type: 'string',
    pattern: '^https?://',
    description: 'JSON-RPC URL. Credentials in it are never logged.',
    examples: ['https://rpc.example.org/v1/${RPC_KEY}'],
  },
  ws: {
    type: 'string',
    pattern: '^wss?://',
    description: 'Websocket URL of the same provider; new blocks are then seen at once instead of at the next poll.',
    examples: ['wss://rpc.example.org/v1/${RPC_KEY}'],
  },
});

const nativeCurrency = object(
  'Native coin.',
  ['symbol', 'name', 'decimals', 'group'],
  {
    symbol: { type: 'string', description: 'Ticker.', default: 'ETH' },
    name: { type: 'string', description: 'Name for humans.', default: 'Ether' },
    decimals: { type: 'integer', minimum: 0, maximum: 36, description: 'Decimals of the smallest unit.', default: 18 },
    group: { type: 'string', description: 'Asset group: currencies of one group are one asset.', default: 'ether' },
    logoURI: { type: 'string', description: 'Logo.', examples: ['https://assets.example.org/eth.svg'] },
  },
  { default: { symbol: 'ETH', name: 'Ether', decimals: 18, group: 'ether' } },
);

const currency = object('One token.', ['symbol', 'name', 'address', 'decimals', 'group'], {
  symbol: {
    type: 'string',
    description: 'Ticker, as the contract says; see `contractSymbol`.',
    examples: ['USDC'],
  },
  name: { type: 'string', description: 'Name for humans.', examples: ['USD Coin'] },
  address: {
    type: 'string',
    pattern: '^(0x[0-9a-fA-F]{40}|devnet)$',
    description: 'Token contract, or the word `devnet` on a local chain, which deploys one.',
    examples: [EXAMPLE_ADDRESS, 'devnet'],
  },
  decimals: {
    type: 'integer',
    minimum: 0,
    maximum: 36,
    description: 'As the contract says, which is asked at the start.',
    examples: [6],
  },
  contractSymbol: {
    type: 'string',
    description:
      'What the contract calls itself, where the token is shown under another symbol. Empty: it has no symbol.',
    examples: ['USD₮0', 'USDC.e'],
  },
  group: { type: 'string', description: 'Asset group: currencies of one group are one asset.', examples: ['usd-coin'] },
  logoURI: { type: 'string', description: 'Logo.', examples: ['https://assets.example.org/usdc.svg'] },
  verified: { type: 'boolean', description: 'Shown to clients.', default: true },
  transferCheck: {
    type: 'boolean',
    description: 'The token can refuse recipients (block list): simulate the transfer when quoting.',
    default: false,
  },
  deposits: {
    type: 'string',
    enum: ['taken', 'swapped'],
    description:
      '`taken`: payers deposit it. `swapped`: the solver wants none of it, and payers swap it for something else within their ' +
      'deposit, which takes `contracts.swapEntry` and `swaps`.',
    default: 'taken',
  },
  approveReset: {
    type: 'boolean',
    description: 'The token refuses to change a non-zero allowance: approvals are preceded by one of zero.',
    default: false,
  },
  transferFeeBps: {
    type: 'integer',
    minimum: 0,
    maximum: 9_999,
    description:
      'What the token keeps of every transfer, in hundredths of a percent: payers are asked for as much more, and nothing is ' +
      'paid out in it. Default: what a trial transfer shows, where the fill signer holds some of it.',
    examples: [100],
  },
});

const finality = object(
  'When a deposit may be acted upon, and when it can never change again.',
  [],
  {
    tiers: {
      type: 'array',
      description:
        'Blocks that must follow a deposit, by its USD value; ascending. First tier above the value decides.',
      items: object('One tier.', ['belowUsd', 'depth'], {
        belowUsd: {
          type: 'number',
          exclusiveMinimum: 0,
          description: 'Applies to values below this.',
          examples: [1000],
        },
        depth: { type: 'integer', minimum: 0, description: 'Blocks after inclusion; 0 means at once.', examples: [0] },
      }),
      default: [],
      examples: [
        [
          { belowUsd: 1000, depth: 0 },
          { belowUsd: 50000, depth: 6 },
        ],
      ],
    },
    depth: {
      type: 'integer',
      minimum: 0,
      description: 'Depth for values above all tiers, and depth of finality where the `finalized` tag is not used.',
      default: 64,
    },
    useFinalizedTag: { type: 'boolean', description: "Finality is the node's `finalized` block.", default: true },
    finalityMs: {
      type: 'integer',
      minimum: 0,
      description: 'Upper bound of the time from inclusion to finality, milliseconds.',
      default: 960000,
    },
  },
  { default: {} },
);

const quorum = object(
  'Deposits that need more than one provider to report them. Without it, the followed provider is enough.',
  ['aboveUsd'],
  {
    aboveUsd: {
      type: 'number',
      minimum: 0,
      description:
        'From this US dollar value on, providers must agree on block and event before a deposit is acted on.',
      examples: [10000],
    },
    providers: {
      type: 'integer',
      minimum: 2,
      description: 'How many must agree; at most as many as `rpc` lists.',
      default: 2,
    },
  },
  { examples: [{ aboveUsd: 10000, providers: 2 }] },
);

const gas = object(
  'Gas limits and fee terms. Fees in wei, as decimal text.',
  [],
  {
    limitCap: {
      type: 'integer',
      minimum: 21000,
      description: 'Most gas one of our transactions may use.',
      default: 1000000,
    },
    mostBatched: {
      type: 'integer',
      minimum: 200000,
      maximum: 16777216,
      description: 'Most gas a transaction of several fills may use: a small part of what a block takes.',
      default: 5000000,
    },
    limitBuffer: {
      type: 'number',
      minimum: 1,
      description: 'Gas limit = estimate times this, and never more than was charged.',
      default: 1.3,
    },
    maxFeePerGas: { ...WEI, description: 'No transaction ever offers more per gas.', default: '500000000000' },
    minPriorityFeePerGas: { ...WEI, description: 'Least tip.', default: '1000000' },
    maxPriorityFeePerGas: { ...WEI, description: 'Most tip of a first attempt.', default: '50000000000' },
    bump: { type: 'number', minimum: 1.1, description: "Replacement fees over their predecessor's.", default: 1.25 },
    costBuffer: {
      type: 'number',
      minimum: 1,
      description:
        'Factor on the typical gas that quotes charge. What needs more than that is refused, or paid back for what it needs.',
      default: 1.2,
    },
    noopLimit: {
      type: 'integer',
      minimum: 21000,
      description: 'Gas limit of the no-op that closes a nonce.',
      default: 21000,
    },
    maxAgeMs: { type: 'integer', minimum: 1000, description: 'Older fee samples are not used.', default: 60000 },
    dataFee: {
      enum: [...DATA_FEES],
      description:
        'How a rollup charges for the bytes of a transaction: `op-stack` in addition to the gas, `arbitrum` as gas of its own, `none` not at all. Read from the oracle contract of the chain, and in all costs that quotes charge.',
      default: 'none',
      examples: ['op-stack'],
    },
  },
  { default: {} },
);

const batches = object(
  'How fills that are due together share transactions. One that fails is left out of its transaction, alone.',
  [],
  {
    most: {
      type: 'integer',
      minimum: 1,
      maximum: 100,
      description: 'Most fills of one transaction; 1: each has its own.',
      default: 50,
    },
    least: {
      type: 'integer',
      minimum: 2,
      description: 'Fills share transactions only where so many are due at once.',
      default: 2,
    },
  },
  { default: {} },
);

const explorer = object(
  'Block explorer shown to clients.',
  [],
  {
    name: { type: 'string', description: 'Its name.', default: '', examples: ['Explorer'] },
    url: { type: 'string', description: 'Its base URL.', default: '', examples: ['https://explorer.example.org'] },
    paths: object(
      'Paths below the base URL.',
      [],
      {
        transaction: { type: 'string', description: 'Of a transaction.', default: '/tx/' },
        address: { type: 'string', description: 'Of an account.', default: '/address/' },
        token: { type: 'string', description: 'Of a token.', default: '/token/' },
      },
      { default: {} },
    ),
    queryParams: {
      type: 'object',
      description: 'Added by clients to every link into the explorer.',
      additionalProperties: { type: 'string', description: 'Value of one parameter.', examples: ['testnet'] },
      examples: [{ cluster: 'testnet' }],
    },
  },
  { default: {} },
);

const presentation = object(
  'What clients may show of the chain. Nothing is decided upon it.',
  [],
  {
    logoUrl: {
      type: 'string',
      description: 'Logo. Default: the icon.',
      examples: ['https://assets.example.org/base.svg'],
    },
    brandColor: { type: 'string', description: 'Colour.', examples: ['#0052ff'] },
    tags: {
      type: 'array',
      items: { type: 'string', description: 'One tag.', examples: ['rollup'] },
      description: 'Words to filter chains by.',
      default: [],
    },
    baseChainId: { type: 'integer', minimum: 1, description: 'Chain that this one settles on.', examples: [1] },
  },
  { default: {} },
);

const chain = object('One chain.', ['id', 'name', 'displayName', 'rpc'], {
  id: { type: 'integer', minimum: 1, not: { const: 1337 }, description: 'EIP-155 chain id.', examples: [8453] },
  name: {
    type: 'string',
    pattern: '^[a-z0-9][a-z0-9-]*$',
    description: 'Short name, unique over the service; order data names chains by it.',
    examples: ['base'],
  },
  displayName: { type: 'string', description: 'Name for humans.', examples: ['Base'] },
  rpc: {
    description:
      'RPC providers in order of preference, or the word `devnet` for a local chain that `causeway dev` boots.',
    anyOf: [{ const: 'devnet' }, { type: 'array', minItems: 1, items: endpoint }],
    examples: [[{ http: 'https://rpc.example.org', ws: 'wss://rpc.example.org' }], 'devnet'],
  },
  publicRpcUrl: {
    type: 'string',
    description:
      'RPC URL that clients may use. Default: the first provider when its URL carries no secret path or credentials.',
    examples: ['https://public.example.org'],
  },
  publicWsUrl: { type: 'string', description: 'Websocket URL that clients may use.', default: '' },
  rpcTimeoutMs: {
    type: 'integer',
    minimum: 100,
    description: 'No RPC answer after this long is a failure.',
    default: 8000,
  },
  rpcMaxInFlight: { type: 'integer', minimum: 1, description: 'HTTP requests at once per provider.', default: 8 },
  rpcMaxBatch: {
    type: 'integer',
    minimum: 1,
    description: 'Calls per JSON-RPC batch; 1 turns batching off.',
    default: 50,
  },
  contracts: {
    type: 'object',
    description: 'Deployed contracts by name. `depository` and `router` are required except with `rpc: devnet`.',
    properties: {
      depository: { ...ADDRESS, description: 'Takes deposits.', examples: [EXAMPLE_ADDRESS] },
      router: { ...ADDRESS, description: 'Fills go through it.', examples: [EXAMPLE_ADDRESS] },
      swapEntry: {
        ...ADDRESS,
        description: 'Where users swap and send by transactions of their own.',
        examples: [EXAMPLE_ADDRESS],
      },
      depositAddresses: {
        ...ADDRESS,
        description: 'Makes deposit addresses, which take plain transfers; needs `signers.sweeper`.',
        examples: [EXAMPLE_ADDRESS],
      },
      wrappedNative: {
        type: 'string',
        pattern: '^(0x[0-9a-fA-F]{40}|devnet)$',
        description: 'Wraps native coin; `swaps` need it. The word `devnet` on a local chain, which deploys one.',
        examples: [EXAMPLE_ADDRESS, 'devnet'],
      },
    },
    additionalProperties: { ...ADDRESS, description: 'Shown to clients.', examples: [EXAMPLE_ADDRESS] },
    default: {},
  },
  currency: nativeCurrency,
  currencies: { type: 'array', description: 'Tokens this service moves.', items: currency, default: [] },
  signers,
  finality,
  quorum,
  blockTimeMs: { type: 'integer', minimum: 50, description: 'Typical time between blocks.', default: 12000 },
  gas,
  batches,
  gasReserve: {
    type: 'string',
    pattern: '^[0-9]+(\\.[0-9]+)?$',
    description: 'An alert is raised when the fill signer holds less native coin than this (whole units).',
    default: '0.05',
  },
  anchor: object(
    'A block that every provider must have; distinguishes forks and reset chains.',
    ['height', 'hash'],
    {
      height: { type: 'integer', minimum: 0, description: 'Its number.', examples: [0] },
      hash: {
        type: 'string',
        pattern: '^0x[0-9a-fA-F]{64}$',
        description: 'Its hash.',
        examples: [`0x${'ab'.repeat(32)}`],
      },
    },
    { examples: [{ height: 0, hash: `0x${'ab'.repeat(32)}` }] },
  ),
  explorer,
  presentation,
  laterContracts: {
    type: 'object',
    description: 'Contracts of later generations, shown to clients: generation, then name.',
    propertyNames: { pattern: '^v[0-9]+$' },
    additionalProperties: {
      type: 'object',
      description: 'Contracts of one generation by name.',
      additionalProperties: { ...ADDRESS, description: 'Shown to clients.', examples: [EXAMPLE_ADDRESS] },
      examples: [{ erc20Router: EXAMPLE_ADDRESS }],
    },
    default: {},
    examples: [{ v3: { erc20Router: EXAMPLE_ADDRESS, approvalProxy: EXAMPLE_ADDRESS } }],
  },
  iconUrl: { type: 'string', description: 'Icon shown to clients.', default: '' },
  quoteValidityMs: {
    type: 'integer',
    minimum: 1000,
    description: 'How long a quote from this chain holds.',
    default: 30000,
  },
  watch: object(
    'How blocks are followed.',
    [],
    {
      pollMs: {
        type: 'integer',
        minimum: 50,
        description:
          'Time between polls. Default: a quarter of the block time, between 200 ms and 4 s; all of it while a websocket reports blocks.',
        examples: [1000],
      },
      maxRange: { type: 'integer', minimum: 1, description: 'Most blocks per log query.', default: 2000 },
    },
    { default: {} },
  ),
  private: {
    type: 'string',
    description: 'Hidden chain: the uuid that grants access.',
    examples: ['6f2d0b8e-54a7-4d6c-9b1e-2f5a1c3d7e90'],
  },
  feeds: chainFeeds,
  swaps: chainSwaps,
});

export const optionsSchema: OptionsSchema = object('EVM chains.', ['chains'], {
  signers,
  chains: {
    type: 'array',
    minItems: 1,
    description: 'Chains this plugin serves.',
    items: chain,
    examples: [[{ id: 8453, name: 'base', displayName: 'Base', rpc: [{ http: 'https://rpc.example.org' }] }]],
  },
  feeds: feedRules,
  errors: errorOptions,
}) as OptionsSchema;
