import type { OptionsSchema } from '@causeway/core';
import { MAX_MESSAGES } from './wallet.js';

const object = (description: string, required: readonly string[], properties: object, extra: object = {}) => ({
  type: 'object',
  ...{ description, required, properties, additionalProperties: false, ...extra },
});

const ADDRESS = { type: 'string', maxLength: 80 };
const MINTER = 'EQCxE6mUtQJKFnGfaROTKOt1lZbDiiX1kCixRv7Nw2Id_sDs';
const DIGITS = { type: 'string', pattern: '^[0-9]+$' };

const names = {
  symbol: { type: 'string', description: 'Ticker.', examples: ['USDT'] },
  name: { type: 'string', description: 'Name for humans.', examples: ['Tether USD'] },
  decimals: { type: 'integer', minimum: 0, maximum: 18, description: 'Digits behind the point.', examples: [6] },
  group: { type: 'string', description: 'Asset group: currencies of one group are one asset.', examples: ['tether'] },
};

const endpoint = object('One provider of the toncenter v2 API.', ['http'], {
  http: {
    type: 'string',
    pattern: '^https?://',
    description: 'The whole endpoint. Credentials in it are never logged.',
    examples: ['https://toncenter.com/api/v2/jsonRPC'],
  },
  apiKey: {
    type: 'string',
    description: 'Key reference, `env:NAME` or `file:PATH`, of the API key.',
    examples: ['env:TONCENTER_KEY'],
  },
  perSecond: {
    type: 'number',
    minimum: 0,
    default: 0,
    description: 'Most requests in a second, 0: no limit. The public service takes one without a key.',
  },
});

const jetton = object('One jetton.', ['symbol', 'name', 'address', 'decimals', 'group'], {
  ...names,
  address: {
    ...ADDRESS,
    description: 'Its minter, or `devnet` on a local chain, which makes one.',
    examples: [MINTER, 'devnet'],
  },
  attach: {
    ...DIGITS,
    default: '50000000',
    description: 'Nanotons that go with each transfer of the solver; what is left of them comes back.',
  },
  walletCode: {
    type: 'string',
    pattern: '^[0-9a-f]{64}$',
    description:
      'Hash of the code of its jetton wallets, hex: no provider is believed that names another. Default: what the providers agree on.',
    examples: ['89468f02c78e570802e39979c8516fc38df07ea76a48357e0536f2ba7b3ee37b'],
  },
  logoURI: { type: 'string', description: 'Logo.', examples: ['https://assets.example.org/usdt.svg'] },
  verified: { type: 'boolean', default: true, description: 'Shown to clients.' },
});

/** Source of `causeway schema` and of option errors. */
export const optionsSchema: OptionsSchema = object('TON and networks of its kind.', ['chains'], {
  chains: {
    type: 'array',
    description: 'One entry per chain.',
    examples: [[]],
    items: object('One chain.', ['id', 'name', 'displayName', 'rpc'], {
      id: { type: 'integer', minimum: 1, description: 'Id of the chain as integrators use it.', examples: [224235520] },
      name: { type: 'string', pattern: '^[a-z0-9-]+$', description: 'Short machine name.', examples: ['ton'] },
      displayName: { type: 'string', description: 'As people see it.', examples: ['TON'] },
      rpc: {
        description: 'Providers, in order of preference; `devnet`: a local chain, started by `causeway dev`.',
        examples: ['devnet'],
        anyOf: [{ const: 'devnet' }, { type: 'array', minItems: 1, items: endpoint }],
      },
      zeroState: {
        type: 'string',
        pattern: '^[0-9a-f]{64}$',
        description:
          'Root hash of the first state of the network, hex: a provider of another one is not used. Default: mainnet.',
        examples: ['17a3a92992aabea785a7a090985a265cd31f323d849da51239737e321fb05569'],
      },
      publicRpcUrl: {
        type: 'string',
        description: 'A provider for clients.',
        examples: ['https://toncenter.com/api/v2/jsonRPC'],
      },
      signers: object(
        'Key references: `env:NAME` or `file:PATH`; hex of the 64 bytes of a secret key. Each is the key of a V5R1 wallet.',
        ['fill', 'vault'],
        {
          fill: {
            type: 'string',
            description: 'Holds inventory and pays fills.',
            examples: ['env:CAUSEWAY_TON_FILL_KEY'],
          },
          vault: {
            type: 'string',
            description: 'The depository: takes deposits; pays refunds, what is collected, and the fees of both.',
            examples: ['env:CAUSEWAY_TON_VAULT_KEY'],
          },
          sweeper: {
            type: 'string',
            description:
              'Moves what deposit addresses were paid to the depository, and pays for that; they derive from this key and that of `vault`. Default: no deposit addresses.',
            examples: ['env:CAUSEWAY_TON_SWEEPER_KEY'],
          },
        },
        { examples: [{ fill: 'env:CAUSEWAY_TON_FILL_KEY', vault: 'env:CAUSEWAY_TON_VAULT_KEY' }] },
      ),
      currency: object('The native coin.', ['symbol', 'name', 'decimals', 'group'], names, {
        default: { symbol: 'TON', name: 'Toncoin', decimals: 9, group: 'toncoin' },
      }),
      jettons: { type: 'array', description: 'Jettons that are moved.', default: [], items: jetton },
      testOnlyAddresses: {
        type: 'boolean',
        default: false,
        description: 'Takes addresses that are marked for test networks.',
      },
      blockTimeMs: {
        type: 'integer',
        minimum: 50,
        default: 3000,
        description: 'Usual time between blocks of the masterchain.',
      },
      localPrices: {
        enum: ['free', 'network'],
        default: 'free',
        description:
          'Of gas and of storage on a local chain: with `free` an account holds exactly what it was sent, with `network` as on the network.',
      },
      localPerSecond: {
        type: 'number',
        minimum: 0,
        description:
          'Requests in a second that a local chain answers the solver, which keeps to it; 0, or not there: all. The public service takes one without a key.',
        examples: [1],
      },
      messageLifeS: {
        type: 'integer',
        minimum: 10,
        maximum: 3600,
        default: 90,
        description: 'How many seconds after its signature a message of the solver expires.',
      },
      least: { ...DIGITS, default: '1000000', description: 'Least of the native coin that anybody is paid, nanotons.' },
      batch: object(
        'How fills share a message.',
        [],
        {
          most: {
            type: 'integer',
            minimum: 1,
            maximum: MAX_MESSAGES,
            default: 100,
            description: 'Most fills of one.',
          },
        },
        { default: {} },
      ),
      pollMs: { type: 'integer', minimum: 20, default: 1000, description: 'Time between two looks at the head.' },
      timeoutMs: {
        type: 'integer',
        minimum: 50,
        default: 8000,
        description: 'A provider that takes longer did not answer.',
      },
      quorum: object(
        'How many providers must report a deposit.',
        ['aboveUsd', 'providers'],
        {
          aboveUsd: { type: 'number', description: 'Of at least this value.', examples: [10000] },
          providers: { type: 'integer', minimum: 2, description: 'So many.', examples: [2] },
        },
        { examples: [{ aboveUsd: 10000, providers: 2 }] },
      ),
      explorer: object(
        'Block explorer shown to clients.',
        [],
        {
          name: { type: 'string', description: 'Its name.', examples: ['Tonviewer'] },
          url: { type: 'string', description: 'Its base URL.', examples: ['https://tonviewer.com'] },
        },
        { default: {} },
      ),
      iconUrl: { type: 'string', description: 'Icon of the chain.', examples: ['https://assets.example.org/ton.svg'] },
    }),
  },
});
