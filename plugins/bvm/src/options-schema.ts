import type { OptionsSchema } from '@causeway/core';
import { NETWORKS } from './network.js';

const HASH = { type: 'string', pattern: '^[0-9a-f]{64}$' };
const DIGITS = { type: 'string', pattern: '^[0-9]+$' };
const EXAMPLE_HASH = '000000000019d6689c085ae165831e934ff763ae46a2a6c172b3f1b60a8ce26f';
const BYTE = { type: 'integer', minimum: 0, maximum: 255 };

function object(description: string, required: readonly string[], properties: object, extra: object = {}): object {
  return { type: 'object', description, required, properties, additionalProperties: false, ...extra };
}

const signers = object(
  'Key references: `env:NAME` or `file:PATH` (relative to the config file). Keys as wallets export them (WIF), or hex of 32 bytes.',
  ['fill', 'depository'],
  {
    fill: {
      type: 'string',
      description: 'Key that holds inventory, sends fills, refunds and collects, and pays their fees.',
      examples: ['env:CAUSEWAY_BVM_FILL_KEY', 'file:keys/bvm-fill'],
    },
    depository: {
      type: 'string',
      description: 'Key of the address that receives deposits; it signs payments from it.',
      examples: ['env:CAUSEWAY_BVM_DEPOSITORY_KEY', 'file:keys/bvm-depository'],
    },
    addresses: {
      type: 'string',
      description:
        'Secret from which the keys of deposit addresses are derived. Absent: no deposit addresses. Never change it: an address can receive funds at any time.',
      examples: ['env:CAUSEWAY_BVM_ADDRESSES_KEY', 'file:keys/bvm-addresses'],
    },
  },
  { examples: [{ fill: 'env:CAUSEWAY_BVM_FILL_KEY', depository: 'env:CAUSEWAY_BVM_DEPOSITORY_KEY' }] },
);

const endpoint = object('One node.', ['http'], {
  http: {
    type: 'string',
    pattern: '^https?://',
    description: 'JSON-RPC URL, with user and password. Credentials in it are never logged.',
    examples: ['http://causeway:${RPC_PASSWORD}@127.0.0.1:8332'],
  },
  zmq: {
    type: 'string',
    pattern: '^(off|tcp://.+|ipc://.+)$',
    description:
      'Address at which this node publishes its pool (`zmqpubsequence`): deposits are then seen immediately instead of at the next poll. `off`: not used. Default: the address that the node reports.',
    examples: ['tcp://127.0.0.1:28332', 'off'],
  },
});

const custom = object(
  'A network without a known name: a similar known network, and the differences.',
  ['base', 'name', 'genesis'],
  {
    base: { enum: Object.keys(NETWORKS), description: 'The similar known network.', examples: ['bitcoin'] },
    name: { type: 'string', pattern: '^[a-z0-9-]+$', description: 'Its name.', examples: ['dogecoin'] },
    environment: {
      enum: ['mainnet', 'testnet', 'local'],
      description: 'Kind of network that a service must have to use it.',
      examples: ['mainnet'],
    },
    genesis: { ...HASH, description: 'Hash of its first block.', examples: [EXAMPLE_HASH] },
    messagePrefix: {
      type: 'string',
      description: 'Begins signed messages, with its own length in front.',
      examples: ['\x18Bitcoin Signed Message:\n'],
    },
    bech32: { type: 'string', description: 'Human-readable part of segwit addresses.', examples: ['bc'] },
    pubKeyHash: { ...BYTE, description: 'Version byte of P2PKH addresses.', examples: [0] },
    scriptHash: { ...BYTE, description: 'Version byte of P2SH addresses.', examples: [5] },
    wif: { ...BYTE, description: 'Version byte of exported private keys.', examples: [128] },
    bip32: object(
      'Version bytes of extended keys.',
      ['public', 'private'],
      {
        public: { type: 'integer', minimum: 0, description: 'Of public ones.', examples: [76067358] },
        private: { type: 'integer', minimum: 0, description: 'Of private ones.', examples: [76066276] },
      },
      { examples: [{ public: 76067358, private: 76066276 }] },
    ),
    coin: object(
      'The native coin, 8 decimals.',
      ['symbol', 'name', 'group'],
      {
        symbol: { type: 'string', description: 'Ticker.', examples: ['BTC'] },
        name: { type: 'string', description: 'Display name.', examples: ['Bitcoin'] },
        group: { type: 'string', description: 'Asset group.', examples: ['bitcoin'] },
      },
      { examples: [{ symbol: 'BTC', name: 'Bitcoin', group: 'bitcoin' }] },
    ),
    rbf: { type: 'boolean', description: 'Whether nodes accept replacements with a higher fee.', examples: [true] },
    taproot: { type: 'boolean', description: 'Whether witness version 1 is enforced.', examples: [true] },
    dustRelayFee: { ...DIGITS, description: 'Dust relay fee: satoshis per 1,000 bytes.', examples: ['3000'] },
    minRelayFee: { ...DIGITS, description: 'Minimum relay fee: satoshis per 1,000 vbytes.', examples: ['1000'] },
    incrementalFee: {
      ...DIGITS,
      description: 'Fee increment of a replacement: satoshis per 1,000 vbytes.',
      examples: ['1000'],
    },
    poolFloor: {
      ...DIGITS,
      description: 'Default of `watch.poolFloor`, in satoshis.',
      examples: ['10000'],
    },
    opReturnBytes: {
      type: 'integer',
      minimum: 0,
      description: 'Maximum size of a relayed OP_RETURN script.',
      examples: [83],
    },
    maxWeight: {
      type: 'integer',
      minimum: 4000,
      description: 'Maximum weight of a relayed transaction.',
      examples: [400000],
    },
    blockTimeMs: { type: 'integer', minimum: 100, description: 'Usual time between blocks.', examples: [600000] },
    finalityDepth: { type: 'integer', minimum: 0, description: 'Confirmations of a final block.', examples: [6] },
  },
);

const finality = object(
  'When a deposit is accepted. Never before it is in a block.',
  [],
  {
    tiers: {
      type: 'array',
      description:
        "Confirmations after the deposit's block, by USD value; ascending. The first tier above the value applies; above all tiers: `depth`.",
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
          description: 'Confirmations after inclusion; 0: inclusion suffices.',
          examples: [0],
        },
      }),
      default: [],
      examples: [
        [
          { belowUsd: 1000, depth: 0 },
          { belowUsd: 20000, depth: 1 },
        ],
      ],
    },
    depth: {
      type: 'integer',
      minimum: 0,
      description: 'Confirmations until a block is final. Default: the network’s (6, or 12 for Litecoin).',
      examples: [6],
    },
    finalityMs: {
      type: 'integer',
      minimum: 0,
      description:
        'Upper bound of the time from inclusion to finality, milliseconds. Default: three times the usual time.',
      examples: [12600000],
    },
  },
  { default: {} },
);

const fees = object(
  'Fee rates, in satoshis per vbyte.',
  [],
  {
    minRate: {
      type: 'number',
      minimum: 0,
      description: 'Minimum fee rate. Default: the minimum that nodes relay.',
      examples: [1],
    },
    maxRate: { type: 'number', exclusiveMinimum: 0, description: 'Maximum fee rate.', default: 500 },
    targetBlocks: { type: 'integer', minimum: 1, description: 'Target number of blocks until inclusion.', default: 2 },
    collectBelow: {
      type: 'number',
      exclusiveMinimum: 0,
      description: 'Deposits are collected only while the rate is at or below this. Default: `maxRate`.',
      examples: [10],
    },
    costBuffer: { type: 'number', minimum: 1, description: 'Factor on costs that quotes charge.', default: 1.2 },
    maxAgeMs: { type: 'integer', minimum: 1000, description: 'Maximum age of samples.', default: 600000 },
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
        address: { type: 'string', description: 'Of an address.', default: '/address/' },
        token: { type: 'string', description: 'Of a token; there are none.', default: '/token/' },
      },
      { default: {} },
    ),
    queryParams: {
      type: 'object',
      description: 'Added by clients to every link into the explorer.',
      additionalProperties: { type: 'string', description: 'Value of one parameter.', examples: ['signet'] },
      examples: [{ network: 'signet' }],
    },
  },
  { default: {} },
);

const chain = object('One chain.', ['id', 'name', 'displayName', 'network', 'rpc'], {
  id: { type: 'integer', minimum: 1, description: 'Chain id in the API.', examples: [8253038] },
  name: {
    type: 'string',
    pattern: '^[a-z0-9][a-z0-9-]*$',
    description: 'Short name, unique in the service; order data contains it.',
    examples: ['bitcoin'],
  },
  displayName: { type: 'string', description: 'Display name.', examples: ['Bitcoin'] },
  network: {
    description: 'The network, which determines addresses, first block and rules.',
    anyOf: [{ enum: Object.keys(NETWORKS) }, custom],
    examples: ['bitcoin', 'litecoin'],
  },
  rpc: {
    description:
      'Nodes in order of preference, with `txindex=1`, or `devnet` for a local chain that `causeway dev` starts.',
    anyOf: [{ const: 'devnet' }, { type: 'array', minItems: 1, items: endpoint }],
    examples: [[{ http: 'http://causeway:${RPC_PASSWORD}@127.0.0.1:8332' }], 'devnet'],
  },
  anchor: object(
    'A block that every node must have: distinguishes chains with the same first block, such as forks and signets.',
    ['height', 'hash'],
    {
      height: { type: 'integer', minimum: 0, description: 'Its height.', examples: [478559] },
      hash: { ...HASH, description: 'Its hash.', examples: [EXAMPLE_HASH] },
    },
    { examples: [{ height: 0, hash: EXAMPLE_HASH }] },
  ),
  publicRpcUrl: { type: 'string', description: 'RPC URL for clients.', default: '' },
  rpcTimeoutMs: {
    type: 'integer',
    minimum: 100,
    description: 'Timeout of an RPC request.',
    default: 10000,
  },
  rpcMaxInFlight: {
    type: 'integer',
    minimum: 1,
    description: 'Concurrent HTTP requests per node; must be below its work queue (`rpcworkqueue`).',
    default: 8,
  },
  rpcMaxBatch: { type: 'integer', minimum: 1, description: 'Calls per JSON-RPC batch.', default: 50 },
  currency: object(
    'Native coin, 8 decimals. Default: the network’s.',
    ['symbol', 'name', 'group'],
    {
      symbol: { type: 'string', description: 'Ticker.', examples: ['BTC'] },
      name: { type: 'string', description: 'Display name.', examples: ['Bitcoin'] },
      group: {
        type: 'string',
        description: 'Asset group: currencies of one group are one asset.',
        examples: ['bitcoin'],
      },
      logoURI: { type: 'string', description: 'Logo.', examples: ['https://assets.example.org/btc.svg'] },
    },
    { examples: [{ symbol: 'BTC', name: 'Bitcoin', group: 'bitcoin' }] },
  ),
  signers,
  addressType: {
    enum: ['p2wpkh', 'p2tr'],
    description: 'Type of the solver’s addresses. Deposits, inventory and keys depend on it.',
    default: 'p2wpkh',
  },
  payers: object(
    'Explorers that list the outputs of payers. Absent: quotes from this chain contain no transaction to sign.',
    ['esplora'],
    {
      esplora: {
        type: 'array',
        minItems: 1,
        items: {
          type: 'string',
          pattern: '^https?://',
          description: 'Base URL of an explorer that speaks the REST interface of Esplora.',
          examples: ['https://explorer.example.org/api'],
        },
        description: 'Explorers in order of preference.',
      },
      timeoutMs: {
        type: 'integer',
        minimum: 100,
        description: 'Timeout of a request.',
        default: 4000,
      },
    },
    { examples: [{ esplora: ['https://explorer.example.org/api'] }] },
  ),
  finality,
  quorum: object(
    'Deposits that several nodes must report. Absent: the active node suffices.',
    ['aboveUsd'],
    {
      aboveUsd: {
        type: 'number',
        minimum: 0,
        description: 'US dollar value from which nodes must agree before a deposit is accepted.',
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
  blockTimeMs: {
    type: 'integer',
    minimum: 100,
    description: 'Usual time between blocks. Default: the network’s.',
    examples: [600000],
  },
  fees,
  batches: object(
    'Several payments in one transaction.',
    [],
    {
      most: {
        type: 'integer',
        minimum: 1,
        maximum: 102,
        description: 'Maximum payments of one transaction; limited by the size of the names in it.',
        default: 100,
      },
      waitMs: {
        type: 'integer',
        minimum: 0,
        description: 'Time that the first payment waits for others. Default: a tenth of the block time, at most 2 s.',
        examples: [2_000],
      },
    },
    { default: {} },
  ),
  gasReserve: {
    type: 'string',
    pattern: '^[0-9]+(\\.[0-9]+)?$',
    description: 'An alert is raised when the fill signer holds less than this (whole coins).',
    default: '0.01',
  },
  explorer,
  iconUrl: { type: 'string', description: 'Icon shown to clients.', default: '' },
  quoteValidityMs: {
    type: 'integer',
    minimum: 1000,
    description: 'Validity of quotes from this chain. Default: three times the usual time of a block.',
    examples: [1800000],
  },
  watch: object(
    'How the chain is followed.',
    [],
    {
      pollMs: { type: 'integer', minimum: 20, description: 'Poll interval for blocks.', default: 1000 },
      poolPollMs: {
        type: 'integer',
        minimum: 20,
        description:
          'Poll interval of the pool, if the node does not publish it; a large pool costs the node some work.',
        default: 400,
      },
      poolFloor: {
        ...DIGITS,
        description:
          'Satoshis. A smaller deposit is reported only once it is in a block, so that dust in the pool cannot delay the report of other deposits. Default: by the network, 10000 on Bitcoin, 1000000 on Litecoin.',
        examples: ['10000'],
      },
      forgetHours: {
        type: 'number',
        exclusiveMinimum: 0,
        description:
          'Time after which a deposit that is in no pool counts as vanished. If it lands later, it is still credited.',
        default: 336,
      },
      checkHours: {
        type: 'number',
        minimum: 0,
        description: 'Interval of scans that verify the solver’s outputs; 0: no scans.',
        default: 24,
      },
      silenceHours: {
        type: 'number',
        minimum: 0,
        description:
          'Time without a new block after which a node counts as standing still and the chain as unhealthy; 0: no limit. Default: 15 block times on main networks (2.5 hours on Bitcoin), 0 on others.',
        examples: [2.5],
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

export const optionsSchema: OptionsSchema = object('Bitcoin-type chains.', ['chains'], {
  signers,
  chains: {
    type: 'array',
    minItems: 1,
    description: 'Chains this plugin serves.',
    items: chain,
    examples: [
      [
        {
          ...{ id: 8253038, name: 'bitcoin', displayName: 'Bitcoin', network: 'bitcoin' },
          rpc: [{ http: 'http://causeway:${RPC_PASSWORD}@127.0.0.1:8332' }],
        },
      ],
    ],
  },
}) as OptionsSchema;
