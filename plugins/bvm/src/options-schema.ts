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
      description: 'Key of the address that takes deposits; it signs what leaves it.',
      examples: ['env:CAUSEWAY_BVM_DEPOSITORY_KEY', 'file:keys/bvm-depository'],
    },
    addresses: {
      type: 'string',
      description:
        'Secret from which the keys of deposit addresses derive. Without it there are none. Never change it: money may arrive at an address at any time.',
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
      'Where this node publishes its pool (`zmqpubsequence`): deposits are then seen at once instead of at the next poll. `off`: not used. Default: what the node says of itself.',
    examples: ['tcp://127.0.0.1:28332', 'off'],
  },
});

const custom = object(
  'A network that is not known by name: one that is, and what differs.',
  ['base', 'name', 'genesis'],
  {
    base: { enum: Object.keys(NETWORKS), description: 'What it is like.', examples: ['bitcoin'] },
    name: { type: 'string', pattern: '^[a-z0-9-]+$', description: 'Its name.', examples: ['dogecoin'] },
    environment: {
      enum: ['mainnet', 'testnet', 'local'],
      description: 'Which services may use it.',
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
        name: { type: 'string', description: 'Name for humans.', examples: ['Bitcoin'] },
        group: { type: 'string', description: 'Asset group.', examples: ['bitcoin'] },
      },
      { examples: [{ symbol: 'BTC', name: 'Bitcoin', group: 'bitcoin' }] },
    ),
    rbf: { type: 'boolean', description: 'Nodes keep a better paid rival of what waits.', examples: [true] },
    taproot: { type: 'boolean', description: 'Witness version 1 is enforced.', examples: [true] },
    dustRelayFee: { ...DIGITS, description: 'Satoshis per 1,000 bytes that dust is judged by.', examples: ['3000'] },
    minRelayFee: { ...DIGITS, description: 'Satoshis per 1,000 vbytes relayed at least.', examples: ['1000'] },
    incrementalFee: {
      ...DIGITS,
      description: 'Satoshis per 1,000 vbytes that a replacement adds.',
      examples: ['1000'],
    },
    poolFloor: {
      ...DIGITS,
      description: 'Satoshis: a smaller deposit is reported only in its block, where `watch.poolFloor` is absent.',
      examples: ['10000'],
    },
    opReturnBytes: { type: 'integer', minimum: 0, description: 'Longest OP_RETURN script relayed.', examples: [83] },
    maxWeight: { type: 'integer', minimum: 4000, description: 'Heaviest transaction relayed.', examples: [400000] },
    blockTimeMs: { type: 'integer', minimum: 100, description: 'Usual time between blocks.', examples: [600000] },
    finalityDepth: { type: 'integer', minimum: 0, description: 'Blocks that follow a final one.', examples: [6] },
  },
);

const finality = object(
  'When a deposit may be acted upon. Before it is in a block, never.',
  [],
  {
    tiers: {
      type: 'array',
      description:
        'Blocks that must follow the one with the deposit, by USD value; ascending. First tier above the value decides; above all: `depth`.',
      items: object('One tier.', ['belowUsd', 'depth'], {
        belowUsd: {
          type: 'number',
          exclusiveMinimum: 0,
          description: 'Applies to values below this.',
          examples: [1000],
        },
        depth: {
          type: 'integer',
          minimum: 0,
          description: 'Blocks after inclusion; 0: its block suffices.',
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
      description:
        'Blocks that must follow before a block counts as final. Default: the network’s (6, or 12 for Litecoin).',
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
      description: 'Least that is offered. Default: what nodes relay.',
      examples: [1],
    },
    maxRate: { type: 'number', exclusiveMinimum: 0, description: 'Most that is ever offered.', default: 500 },
    targetBlocks: { type: 'integer', minimum: 1, description: 'Blocks within which to be included.', default: 2 },
    collectBelow: {
      type: 'number',
      exclusiveMinimum: 0,
      description: 'Deposits are collected only while the rate is at or below this. Default: `maxRate`.',
      examples: [10],
    },
    costBuffer: { type: 'number', minimum: 1, description: 'Factor on costs that quotes charge.', default: 1.2 },
    maxAgeMs: { type: 'integer', minimum: 1000, description: 'Older samples are not used.', default: 600000 },
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
  id: { type: 'integer', minimum: 1, description: 'Chain id as integrators use it.', examples: [8253038] },
  name: {
    type: 'string',
    pattern: '^[a-z0-9][a-z0-9-]*$',
    description: 'Short name, unique over the service; order data names chains by it.',
    examples: ['bitcoin'],
  },
  displayName: { type: 'string', description: 'Name for humans.', examples: ['Bitcoin'] },
  network: {
    description: 'Which network it is: its addresses, first block, rules.',
    anyOf: [{ enum: Object.keys(NETWORKS) }, custom],
    examples: ['bitcoin', 'litecoin'],
  },
  rpc: {
    description:
      'Nodes in order of preference, with `txindex=1`, or the word `devnet` for a local chain that `causeway dev` boots.',
    anyOf: [{ const: 'devnet' }, { type: 'array', minItems: 1, items: endpoint }],
    examples: [[{ http: 'http://causeway:${RPC_PASSWORD}@127.0.0.1:8332' }], 'devnet'],
  },
  anchor: object(
    'A block that every node must have: distinguishes chains that share their first one, as forks and signets do.',
    ['height', 'hash'],
    {
      height: { type: 'integer', minimum: 0, description: 'Its height.', examples: [478559] },
      hash: { ...HASH, description: 'Its hash.', examples: [EXAMPLE_HASH] },
    },
    { examples: [{ height: 0, hash: EXAMPLE_HASH }] },
  ),
  publicRpcUrl: { type: 'string', description: 'RPC URL that clients may use.', default: '' },
  rpcTimeoutMs: {
    type: 'integer',
    minimum: 100,
    description: 'No RPC answer after this long is a failure.',
    default: 10000,
  },
  rpcMaxInFlight: {
    type: 'integer',
    minimum: 1,
    description: 'HTTP requests at once per node; its work queue must be longer (`rpcworkqueue`).',
    default: 8,
  },
  rpcMaxBatch: { type: 'integer', minimum: 1, description: 'Calls per JSON-RPC batch.', default: 50 },
  currency: object(
    'Native coin, 8 decimals. Default: the network’s.',
    ['symbol', 'name', 'group'],
    {
      symbol: { type: 'string', description: 'Ticker.', examples: ['BTC'] },
      name: { type: 'string', description: 'Name for humans.', examples: ['Bitcoin'] },
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
    description: 'Type of the solver’s own addresses. Deposits, inventory and keys are bound to it.',
    default: 'p2wpkh',
  },
  payers: object(
    'Where the outputs of payers are looked up. Without it, quotes from this chain offer no transaction to sign.',
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
        description: 'No answer after this long is a failure.',
        default: 4000,
      },
    },
    { examples: [{ esplora: ['https://explorer.example.org/api'] }] },
  ),
  finality,
  quorum: object(
    'Deposits that need more than one node to report them. Without it, the followed node is enough.',
    ['aboveUsd'],
    {
      aboveUsd: {
        type: 'number',
        minimum: 0,
        description: 'From this US dollar value on, nodes must agree before a deposit is acted on.',
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
        description: 'Most payments of one transaction: as many as it has room to name.',
        default: 100,
      },
      waitMs: {
        type: 'integer',
        minimum: 0,
        description: 'How long the first one waits for others; default: a tenth of a block, 2 s at most.',
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
    description: 'How long a quote from this chain holds. Default: three times the usual time of a block.',
    examples: [1800000],
  },
  watch: object(
    'How the chain is followed.',
    [],
    {
      pollMs: { type: 'integer', minimum: 20, description: 'Time between looks for blocks.', default: 1000 },
      poolPollMs: {
        type: 'integer',
        minimum: 20,
        description:
          'Time between looks into the pool where it is not published; a large pool costs the node some work.',
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
        description: 'A deposit that no pool had for this long is given up; should it land all the same, it counts.',
        default: 336,
      },
      checkHours: {
        type: 'number',
        minimum: 0,
        description: 'Time between scans that check the solver’s own outputs; 0: none.',
        default: 24,
      },
    },
    { default: {} },
  ),
  private: {
    type: 'string',
    description: 'Hidden chain: the uuid that grants access.',
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
