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
  name: { type: 'string', description: 'Display name.', examples: ['Tether USD'] },
  decimals: { type: 'integer', minimum: 0, maximum: 18, description: 'Decimal places.', examples: [6] },
  group: {
    type: 'string',
    description: 'Asset group: currencies of one group are one asset.',
    examples: ['tether'],
  },
};

const endpoint = object('One provider of the toncenter v2 API.', ['http'], {
  http: {
    type: 'string',
    pattern: '^https?://',
    description: 'URL of the endpoint. Credentials in it are never logged.',
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
    description: 'Maximum requests per second; 0: no limit. The public service allows one without an API key.',
  },
});

const jetton = object('One jetton.', ['symbol', 'name', 'address', 'decimals', 'group'], {
  ...names,
  address: {
    ...ADDRESS,
    description: 'Its minter, or `devnet` on a local chain, which creates one.',
    examples: [MINTER, 'devnet'],
  },
  attach: {
    ...DIGITS,
    default: '50000000',
    description: 'Nanotons attached to each transfer of the solver; the unspent part is returned.',
  },
  walletCode: {
    type: 'string',
    pattern: '^[0-9a-f]{64}$',
    description:
      'Code hash of its jetton wallets, hex: answers with another hash are ignored. Default: the hash that the providers agree on.',
    examples: ['89468f02c78e570802e39979c8516fc38df07ea76a48357e0536f2ba7b3ee37b'],
  },
  logoURI: { type: 'string', description: 'Logo.', examples: ['https://assets.example.org/usdt.svg'] },
  verified: { type: 'boolean', default: true, description: 'Shown to clients.' },
});

/** Source of `causeway schema` and of option errors. */
export const optionsSchema: OptionsSchema = object('TON and similar networks.', ['chains'], {
  chains: {
    type: 'array',
    description: 'One entry per chain.',
    examples: [[]],
    items: object('One chain.', ['id', 'name', 'displayName', 'rpc'], {
      id: { type: 'integer', minimum: 1, description: 'Chain id in the API.', examples: [224235520] },
      name: { type: 'string', pattern: '^[a-z0-9-]+$', description: 'Short machine name.', examples: ['ton'] },
      displayName: { type: 'string', description: 'Display name.', examples: ['TON'] },
      rpc: {
        description: 'Providers in order of preference, or `devnet` for a local chain that `causeway dev` starts.',
        examples: ['devnet'],
        anyOf: [{ const: 'devnet' }, { type: 'array', minItems: 1, items: endpoint }],
      },
      zeroState: {
        type: 'string',
        pattern: '^[0-9a-f]{64}$',
        description:
          "Root hash of the network's zero state, hex: providers of another network are not used. Default: mainnet.",
        examples: ['17a3a92992aabea785a7a090985a265cd31f323d849da51239737e321fb05569'],
      },
      publicRpcUrl: {
        type: 'string',
        description: 'URL of a provider for clients.',
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
            description: 'The depository: receives deposits; pays refunds and collects, and their fees.',
            examples: ['env:CAUSEWAY_TON_VAULT_KEY'],
          },
          sweeper: {
            type: 'string',
            description:
              'Sweeps deposit addresses to the depository and pays the fees. The addresses derive from this key and that of `vault`. Absent: no deposit addresses.',
            examples: ['env:CAUSEWAY_TON_SWEEPER_KEY'],
          },
          former: {
            type: 'array',
            description:
              'Keys that were `fill` before. They complete the payments that they were given and get no new ones; what they hold is not promised any more. Remove each once `causeway doctor` reports nothing open for it.',
            items: { type: 'string' },
            minItems: 1,
            maxItems: 8,
            examples: [['file:keys/tonvm-fill.former']],
          },
        },
        { examples: [{ fill: 'env:CAUSEWAY_TON_FILL_KEY', vault: 'env:CAUSEWAY_TON_VAULT_KEY' }] },
      ),
      currency: object('The native coin.', ['symbol', 'name', 'decimals', 'group'], names, {
        default: { symbol: 'TON', name: 'Toncoin', decimals: 9, group: 'toncoin' },
      }),
      jettons: {
        type: 'array',
        description: 'Jettons that this service accepts and pays.',
        default: [],
        items: jetton,
      },
      testOnlyAddresses: {
        type: 'boolean',
        default: false,
        description: 'Whether addresses marked for test networks are accepted.',
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
          'Prices of gas and storage on a local chain. `free`: none, so an account holds exactly what it received; `network`: as on the public network.',
      },
      localPerSecond: {
        type: 'number',
        minimum: 0,
        description:
          'Maximum requests per second at a local chain, which the solver respects; 0 or absent: no limit. The public service allows one without an API key.',
        examples: [1],
      },
      messageLifeS: {
        type: 'integer',
        minimum: 10,
        maximum: 3600,
        default: 90,
        description: 'Seconds after which a signed message of the solver expires.',
      },
      least: { ...DIGITS, default: '1000000', description: 'Minimum payment in native coin, nanotons.' },
      batch: object(
        'How fills share one message.',
        [],
        {
          most: {
            type: 'integer',
            minimum: 1,
            maximum: MAX_MESSAGES,
            default: 100,
            description: 'Maximum fills per message.',
          },
        },
        { default: {} },
      ),
      pollMs: { type: 'integer', minimum: 20, default: 1000, description: 'Poll interval of the head.' },
      timeoutMs: {
        type: 'integer',
        minimum: 50,
        default: 8000,
        description: 'Timeout of a request to a provider.',
      },
      quorum: object(
        'Deposits that several providers must report.',
        ['aboveUsd', 'providers'],
        {
          aboveUsd: { type: 'number', description: 'Minimum value of such deposits, in USD.', examples: [10000] },
          providers: { type: 'integer', minimum: 2, description: 'Number of providers.', examples: [2] },
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
