import type { OptionsSchema } from '@causeway/core';
import { DATA_FEES } from './data-fees.js';
import { errorOptions } from './explain-call/options.js';
import { chainFeeds, feedRules } from './feeds/options-schema.js';
import { chainSwaps } from './swaps/options-schema.js';
import { watchOptions } from './watch/options-schema.js';

const ADDRESS = { type: 'string', pattern: '^0x[0-9a-fA-F]{40}$' };
const EXAMPLE_ADDRESS = '0x5fbdb2315678afecb367f032d93f642f64180aa3';
const WEI = { type: 'string', pattern: '^[0-9]+$' };

function object(description: string, required: readonly string[], properties: object, extra: object = {}): object {
  return { type: 'object', description, required, properties, additionalProperties: false, ...extra };
}

const signers = object(
  'Key references of the roles: `env:NAME` or `file:PATH` (relative to the config file); for `fill`, `sweeper` and `former` also `remote:ID#ADDRESS`, an account of a remote signer.',
  ['fill', 'allocator'],
  {
    fill: {
      type: 'string',
      description: 'Key that holds inventory, sends fills, refunds and collects, and pays their gas.',
      examples: ['env:CAUSEWAY_FILL_KEY', 'file:keys/fill', `remote:signer-web3#${EXAMPLE_ADDRESS}`],
    },
    allocator: {
      type: 'string',
      description: 'Key that authorises withdrawals from the depository. It never sends and needs no gas.',
      examples: ['env:CAUSEWAY_ALLOCATOR_KEY', 'file:keys/allocator'],
    },
    sweeper: {
      type: 'string',
      description:
        'Key that sweeps deposit addresses to the depository. It holds only native coin for gas and must differ from `fill`. Absent: no deposit addresses.',
      examples: ['env:CAUSEWAY_SWEEPER_KEY', 'file:keys/sweeper'],
    },
    executor: {
      type: 'string',
      description:
        'Key that sends calls for others (`POST /execute`), which app balances pay. It holds only native coin for gas and must have no other role. Absent: no such calls.',
      examples: ['env:CAUSEWAY_EXECUTOR_KEY', 'file:keys/executor'],
    },
    executors: {
      type: 'array',
      description:
        'Further keys for such calls, each with its own nonces and gas. A call uses the key with the fewest waiting calls; a stuck transaction delays only calls of its key.',
      items: { type: 'string' },
      minItems: 1,
      maxItems: 32,
      examples: [['file:keys/executor-2', 'file:keys/executor-3']],
    },
    former: {
      type: 'array',
      description:
        'Keys that were `fill` before. They complete the payments that they were given and get no new ones; what they hold is not promised any more. Remove each once `causeway doctor` reports nothing open for it.',
      items: { type: 'string' },
      minItems: 1,
      maxItems: 8,
      examples: [['file:keys/fill.former']],
    },
  },
  { examples: [{ fill: 'env:CAUSEWAY_FILL_KEY', allocator: 'env:CAUSEWAY_ALLOCATOR_KEY' }] },
);

const owner = {
  ...ADDRESS,
  description:
    'Owner of the contracts that `causeway setup` deploys: only it can allow fillers and change the allocator. May be a multisig. Default: the fill signer.',
  examples: [EXAMPLE_ADDRESS],
};

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
    description:
      'Websocket URL of the same provider: new blocks are then seen immediately instead of at the next poll.',
    examples: ['wss://rpc.example.org/v1/${RPC_KEY}'],
  },
});

const nativeCurrency = object(
  'Native coin.',
  ['symbol', 'name', 'decimals', 'group'],
  {
    symbol: { type: 'string', description: 'Ticker.', default: 'ETH' },
    name: { type: 'string', description: 'Display name.', default: 'Ether' },
    decimals: { type: 'integer', minimum: 0, maximum: 36, description: 'Decimals of the smallest unit.', default: 18 },
    group: { type: 'string', description: 'Asset group: currencies of one group are one asset.', default: 'ether' },
    logoURI: { type: 'string', description: 'Logo.', examples: ['https://assets.example.org/eth.svg'] },
  },
  { default: { symbol: 'ETH', name: 'Ether', decimals: 18, group: 'ether' } },
);

const currency = object('One token.', ['symbol', 'name', 'address', 'decimals', 'group'], {
  symbol: {
    type: 'string',
    description: 'Ticker, as in the contract; see `contractSymbol`.',
    examples: ['USDC'],
  },
  name: { type: 'string', description: 'Display name.', examples: ['USD Coin'] },
  address: {
    type: 'string',
    pattern: '^(0x[0-9a-fA-F]{40}|devnet)$',
    description: 'Token contract, or `devnet` on a local chain, which deploys one.',
    examples: [EXAMPLE_ADDRESS, 'devnet'],
  },
  decimals: {
    type: 'integer',
    minimum: 0,
    maximum: 36,
    description: 'As in the contract; compared with it at the start.',
    examples: [6],
  },
  contractSymbol: {
    type: 'string',
    description: 'Symbol in the contract, if the token is shown under another one. Empty: the contract has no symbol.',
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
      '`taken`: payers deposit it. `swapped`: the solver does not accept it, and payers swap it within their deposit, which ' +
      'requires `contracts.swapEntry` and `swaps`.',
    default: 'taken',
  },
  approveReset: {
    type: 'boolean',
    description: 'The token refuses to change a non-zero allowance: each approval is preceded by an approval of zero.',
    default: false,
  },
  transferFeeBps: {
    type: 'integer',
    minimum: 0,
    maximum: 9_999,
    description:
      'Fee that the token charges on every transfer, in hundredths of a percent. Payers pay it in addition; nothing is paid ' +
      'out in such a token. Default: measured by a simulated transfer, if the fill signer holds some of the token.',
    examples: [100],
  },
});

const finality = object(
  'When a deposit is accepted, and when it is final.',
  [],
  {
    tiers: {
      type: 'array',
      description:
        'Confirmations that a deposit needs, by its USD value; ascending. The first tier above the value applies.',
      items: object('One tier.', ['belowUsd', 'depth'], {
        belowUsd: {
          type: 'number',
          exclusiveMinimum: 0,
          description: 'Applies to values below this, in USD.',
          examples: [1000],
        },
        depth: { type: 'integer', minimum: 0, description: 'Confirmations; 0: accepted at inclusion.', examples: [0] },
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
      description: 'Confirmations for values above all tiers, and until finality if the `finalized` tag is not used.',
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
  'Deposits that several providers must report. Absent: the active provider suffices.',
  ['aboveUsd'],
  {
    aboveUsd: {
      type: 'number',
      minimum: 0,
      description: 'US dollar value from which providers must agree on block and event before a deposit is accepted.',
      examples: [10000],
    },
    providers: {
      type: 'integer',
      minimum: 2,
      description: 'Number of providers that must agree; at most as many as in `rpc`.',
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
      description: 'Maximum gas of one transaction of the service.',
      default: 1000000,
    },
    mostBatched: {
      type: 'integer',
      minimum: 200000,
      maximum: 16777216,
      description: "Maximum gas of a transaction with several fills: a small part of a block's limit.",
      default: 5000000,
    },
    limitBuffer: {
      type: 'number',
      minimum: 1,
      description: 'Gas limit as a multiple of the estimate; never more than was charged.',
      default: 1.3,
    },
    maxFeePerGas: { ...WEI, description: 'Maximum fee per gas of any transaction.', default: '500000000000' },
    minPriorityFeePerGas: { ...WEI, description: 'Minimum tip.', default: '1000000' },
    maxPriorityFeePerGas: { ...WEI, description: 'Maximum tip of a first attempt.', default: '50000000000' },
    bump: { type: 'number', minimum: 1.1, description: 'Fee factor of a replacement.', default: 1.25 },
    costBuffer: {
      type: 'number',
      minimum: 1,
      description:
        'Factor on the typical gas that quotes charge. A fill that needs more is refused; a refund that needs more is charged the difference.',
      default: 1.2,
    },
    noopLimit: {
      type: 'integer',
      minimum: 21000,
      description: 'Gas limit of the no-op that closes a nonce.',
      default: 21000,
    },
    maxAgeMs: { type: 'integer', minimum: 1000, description: 'Maximum age of fee samples.', default: 60000 },
    dataFee: {
      enum: [...DATA_FEES],
      description:
        'How a rollup charges for the bytes of a transaction: `op-stack`: a fee in addition to gas; `arbitrum`: additional gas; `none`: no charge. Read from the oracle contract of the chain, and included in all costs that quotes charge.',
      default: 'none',
      examples: ['op-stack'],
    },
  },
  { default: {} },
);

const batches = object(
  'How fills that are ready at the same time share transactions. If one fails, it is omitted from its transaction, and the others are paid.',
  [],
  {
    most: {
      type: 'integer',
      minimum: 1,
      maximum: 100,
      description: 'Maximum fills per transaction; 1: each has its own.',
      default: 50,
    },
    least: {
      type: 'integer',
      minimum: 2,
      description: 'Minimum number of fills that are ready at the same time before they share transactions.',
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
  'How clients may show the chain; for presentation only.',
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
      description: 'Tags to filter chains by.',
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
    description: 'Short name, unique in the service; order data contains it.',
    examples: ['base'],
  },
  displayName: { type: 'string', description: 'Display name.', examples: ['Base'] },
  rpc: {
    description: 'RPC providers in order of preference, or `devnet` for a local chain that `causeway dev` starts.',
    anyOf: [{ const: 'devnet' }, { type: 'array', minItems: 1, items: endpoint }],
    examples: [[{ http: 'https://rpc.example.org', ws: 'wss://rpc.example.org' }], 'devnet'],
  },
  publicRpcUrl: {
    type: 'string',
    description: 'RPC URL for clients. Default: the first provider, if its URL contains no secret path or credentials.',
    examples: ['https://public.example.org'],
  },
  publicWsUrl: { type: 'string', description: 'Websocket URL for clients.', default: '' },
  rpcTimeoutMs: {
    type: 'integer',
    minimum: 100,
    description: 'Timeout of an RPC request.',
    default: 8000,
  },
  rpcMaxInFlight: { type: 'integer', minimum: 1, description: 'Concurrent HTTP requests per provider.', default: 8 },
  rpcMaxBatch: {
    type: 'integer',
    minimum: 1,
    description: 'Calls per JSON-RPC batch; 1 disables batching.',
    default: 50,
  },
  contracts: {
    type: 'object',
    description: 'Deployed contracts by name. `depository` and `router` are required except with `rpc: devnet`.',
    properties: {
      depository: { ...ADDRESS, description: 'Receives deposits.', examples: [EXAMPLE_ADDRESS] },
      router: { ...ADDRESS, description: 'Contract that fills go through.', examples: [EXAMPLE_ADDRESS] },
      swapEntry: {
        ...ADDRESS,
        description: 'Contract for swaps and payments that users execute themselves.',
        examples: [EXAMPLE_ADDRESS],
      },
      depositAddresses: {
        ...ADDRESS,
        description: 'Factory of deposit addresses, which accept plain transfers; requires `signers.sweeper`.',
        examples: [EXAMPLE_ADDRESS],
      },
      permitEntry: {
        ...ADDRESS,
        description:
          'Makes deposits that payers allow by a signature (`usePermit`), in transactions of the service; requires `signers.executor`.',
        examples: [EXAMPLE_ADDRESS],
      },
      permit2: {
        ...ADDRESS,
        description:
          'The Permit2 contract that `permitEntry` was deployed with: for tokens without their own permits, and for payers that are contracts.',
        examples: ['0x000000000022d473030f116ddee9f6b43ac78ba3'],
      },
      wrappedNative: {
        type: 'string',
        pattern: '^(0x[0-9a-fA-F]{40}|devnet)$',
        description: 'Wrapped native coin; required by `swaps`. `devnet` on a local chain, which deploys it.',
        examples: [EXAMPLE_ADDRESS, 'devnet'],
      },
    },
    additionalProperties: { ...ADDRESS, description: 'Shown to clients.', examples: [EXAMPLE_ADDRESS] },
    default: {},
  },
  currency: nativeCurrency,
  currencies: { type: 'array', description: 'Tokens of this service.', items: currency, default: [] },
  signers,
  owner,
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
    'A block that every provider must have; distinguishes forks and chains that were reset.',
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
    description: 'Validity of quotes from this chain.',
    default: 30000,
  },
  watch: watchOptions,
  private: {
    type: 'string',
    description: 'Makes the chain private: the UUID that grants access to it.',
    examples: ['6f2d0b8e-54a7-4d6c-9b1e-2f5a1c3d7e90'],
  },
  feeds: chainFeeds,
  swaps: chainSwaps,
});

export const optionsSchema: OptionsSchema = object('EVM chains.', ['chains'], {
  signers,
  owner,
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
