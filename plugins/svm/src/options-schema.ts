import type { OptionsSchema } from '@causeway/core';

const ADDRESS = { type: 'string', pattern: '^[1-9A-HJ-NP-Za-km-z]{32,44}$' };
const EXAMPLE_MINT = 'EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v';
const DIGITS = { type: 'string', pattern: '^[0-9]+$' };

function object(description: string, required: readonly string[], properties: object, extra: object = {}): object {
  return { type: 'object', description, required, properties, additionalProperties: false, ...extra };
}

const signers = object(
  'Key references of the two roles: `env:NAME` or `file:PATH` (relative to the config file). Keys as wallets export them: base58, or a JSON array of bytes.',
  ['fill', 'vault'],
  {
    fill: {
      type: 'string',
      description: 'Key that holds inventory, sends fills, refunds and collects, and pays their fees.',
      examples: ['env:CAUSEWAY_SVM_FILL_KEY', 'file:keys/svm-fill'],
    },
    vault: {
      type: 'string',
      description: 'Key of the account that receives deposits; it signs payments from it and pays no fees.',
      examples: ['env:CAUSEWAY_SVM_VAULT_KEY', 'file:keys/svm-vault'],
    },
    sweeper: {
      type: 'string',
      description:
        'Key that pays for sweeps of deposit addresses; it holds nothing else. Together with `addresses` it enables deposit addresses.',
      examples: ['env:CAUSEWAY_SVM_SWEEPER_KEY', 'file:keys/svm-sweeper'],
    },
    addresses: {
      type: 'string',
      description:
        'Master secret from which the keys of deposit addresses are derived, in the format of a key. Never change it, and keep a copy: without it, funds at the addresses are lost.',
      examples: ['env:CAUSEWAY_SVM_ADDRESSES_KEY', 'file:keys/svm-addresses'],
    },
    former: {
      type: 'array',
      description:
        'Keys that were `fill` before. They complete the payments that they were given and get no new ones; what they hold is not promised any more. Remove each once `causeway doctor` reports nothing open for it.',
      items: { type: 'string' },
      minItems: 1,
      maxItems: 8,
      examples: [['file:keys/svm-fill.former']],
    },
  },
  { examples: [{ fill: 'env:CAUSEWAY_SVM_FILL_KEY', vault: 'env:CAUSEWAY_SVM_VAULT_KEY' }] },
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
    description: 'Websocket URL of the same provider: deposits are then seen immediately instead of at the next poll.',
    examples: ['wss://rpc.example.org/v1/${RPC_KEY}'],
  },
});

const nativeCurrency = object(
  'Native coin.',
  ['symbol', 'name', 'decimals', 'group'],
  {
    symbol: { type: 'string', description: 'Ticker.', default: 'SOL' },
    name: { type: 'string', description: 'Display name.', default: 'Solana' },
    decimals: { type: 'integer', minimum: 0, maximum: 36, description: 'Decimals of the smallest unit.', default: 9 },
    group: {
      type: 'string',
      description: 'Asset group: currencies of one group are one asset.',
      default: 'solana',
    },
    logoURI: { type: 'string', description: 'Logo.', examples: ['https://assets.example.org/sol.svg'] },
  },
  { default: { symbol: 'SOL', name: 'Solana', decimals: 9, group: 'solana' } },
);

const currency = object('One token.', ['symbol', 'name', 'address', 'decimals', 'group'], {
  symbol: { type: 'string', description: 'Ticker.', examples: ['USDC'] },
  name: { type: 'string', description: 'Display name.', examples: ['USD Coin'] },
  address: {
    anyOf: [ADDRESS, { const: 'devnet' }],
    description: 'Its mint, or `devnet` on a local chain, which creates one.',
    examples: [EXAMPLE_MINT, 'devnet'],
  },
  decimals: { type: 'integer', minimum: 0, maximum: 18, description: 'As in the mint.', examples: [6] },
  group: {
    type: 'string',
    description: 'Asset group: currencies of one group are one asset.',
    examples: ['usd-coin'],
  },
  program: {
    enum: ['token', 'token-2022'],
    description: 'Token program of the mint.',
    default: 'token',
  },
  logoURI: { type: 'string', description: 'Logo.', examples: ['https://assets.example.org/usdc.svg'] },
  verified: { type: 'boolean', description: 'Shown to clients.', default: true },
});

const finality = object(
  'When a deposit is accepted. Every reported deposit is already confirmed: two thirds of the stake voted for its block.',
  [],
  {
    tiers: {
      type: 'array',
      description:
        'Slots that must follow, by USD value; ascending. The first tier above the value applies; above all tiers: 32.',
      items: object('One tier.', ['belowUsd', 'depth'], {
        belowUsd: {
          type: 'number',
          exclusiveMinimum: 0,
          description: 'Applies to values below this, in USD.',
          examples: [1000],
        },
        depth: {
          type: 'integer',
          minimum: 0,
          description: 'Slots after inclusion; 0: accepted immediately.',
          examples: [0],
        },
      }),
      default: [],
      examples: [[{ belowUsd: 1000, depth: 0 }]],
    },
    finalityMs: {
      type: 'integer',
      minimum: 0,
      description: 'Upper bound of the time from inclusion to finality, milliseconds. Default: 75 slots.',
      examples: [30000],
    },
  },
  { default: {} },
);

const fees = object(
  'Priority fees, in micro-lamports per compute unit, as decimal text.',
  [],
  {
    minPriorityFee: { ...DIGITS, description: 'Minimum fee.', default: '1000' },
    maxPriorityFee: { ...DIGITS, description: 'Maximum fee.', default: '5000000' },
    percentile: {
      type: 'integer',
      minimum: 0,
      maximum: 100,
      description: "Percentile of recent slots' fees that is offered.",
      default: 75,
    },
    costBuffer: { type: 'number', minimum: 1, description: 'Factor on costs that quotes charge.', default: 1.2 },
    maxAgeMs: { type: 'integer', minimum: 1000, description: 'Maximum age of samples.', default: 60000 },
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
      additionalProperties: { type: 'string', description: 'Value of one parameter.', examples: ['devnet'] },
      examples: [{ cluster: 'devnet' }],
    },
  },
  { default: {} },
);

const chain = object('One chain.', ['id', 'name', 'displayName', 'rpc'], {
  id: { type: 'integer', minimum: 1, description: 'Chain id in the API.', examples: [792703809] },
  name: {
    type: 'string',
    pattern: '^[a-z0-9][a-z0-9-]*$',
    description: 'Short name, unique in the service; order data contains it.',
    examples: ['solana'],
  },
  displayName: { type: 'string', description: 'Display name.', examples: ['Solana'] },
  rpc: {
    description: 'RPC providers in order of preference, or `devnet` for a local chain that `causeway dev` starts.',
    anyOf: [{ const: 'devnet' }, { type: 'array', minItems: 1, items: endpoint }],
    examples: [[{ http: 'https://rpc.example.org', ws: 'wss://rpc.example.org' }], 'devnet'],
  },
  genesisHash: {
    ...ADDRESS,
    description: 'Hash of the first block, which every provider must return. Absent: any chain is accepted.',
    examples: ['5eykt4UsFv8P8NJdTREpY1vzqKqZKvdpKuc147dw2N9d'],
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
  rpcMaxInFlight: { type: 'integer', minimum: 1, description: 'Concurrent HTTP requests per provider.', default: 16 },
  rpcMaxBatch: {
    type: 'integer',
    minimum: 1,
    description: 'Calls per JSON-RPC batch. Default 1, because some nodes refuse batches.',
    default: 1,
  },
  currency: nativeCurrency,
  currencies: {
    type: 'array',
    description: 'Tokens of this service.',
    items: currency,
    default: [],
  },
  signers,
  lookupTables: {
    type: 'array',
    items: { ...ADDRESS, description: 'One table.', examples: [EXAMPLE_MINT] },
    description:
      'Address lookup tables with which wallets compile deposits. `causeway setup` creates one for the vault and prints its address.',
    default: [],
  },
  finality,
  quorum: object(
    'Deposits that several providers must report. Absent: the active provider suffices.',
    ['aboveUsd'],
    {
      aboveUsd: {
        type: 'number',
        minimum: 0,
        description: 'US dollar value from which providers must agree before a deposit is accepted.',
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
  ),
  blockTimeMs: { type: 'integer', minimum: 50, description: 'Typical time of a slot.', default: 400 },
  fees,
  batches: object(
    'How fills share transactions while many are ready. If one fails, the others of its transaction are sent again one by one.',
    [],
    {
      most: {
        type: 'integer',
        minimum: 1,
        maximum: 5,
        description: 'Maximum fills per transaction; 1: each has its own.',
        default: 3,
      },
      least: {
        type: 'integer',
        minimum: 2,
        description: 'Minimum number of fills that are ready at the same time before they share transactions.',
        default: 8,
      },
    },
    { default: {} },
  ),
  gasReserve: {
    type: 'string',
    pattern: '^[0-9]+(\\.[0-9]+)?$',
    description: 'An alert is raised when the fill signer holds less native coin than this (whole units).',
    default: '0.05',
  },
  explorer,
  iconUrl: { type: 'string', description: 'Icon shown to clients.', default: '' },
  quoteValidityMs: {
    type: 'integer',
    minimum: 1000,
    description: 'Validity of quotes from this chain.',
    default: 30000,
  },
  watch: object(
    'How slots are followed.',
    [],
    {
      pollMs: {
        type: 'integer',
        minimum: 5,
        description:
          'Poll interval. Default: the duration of a slot, between 100 ms and 2 s, and at least 1 s while nothing is expected.',
        examples: [400],
      },
    },
    { default: {} },
  ),
  private: {
    type: 'string',
    description: 'Makes the chain private: the UUID that grants access to it.',
    examples: ['6f2d0b8e-54a7-4d6c-9b1e-2f5a1c3d7e90'],
  },
});

export const optionsSchema: OptionsSchema = object('Solana-type chains.', ['chains'], {
  signers,
  chains: {
    type: 'array',
    minItems: 1,
    description: 'Chains this plugin serves.',
    items: chain,
    examples: [[{ id: 792703809, name: 'solana', displayName: 'Solana', rpc: [{ http: 'https://rpc.example.org' }] }]],
  },
}) as OptionsSchema;
