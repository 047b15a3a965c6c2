import type { OptionsSchema } from '@causeway/core';

/** What a config says of this plugin, with defaults filled in. */
export interface Options {
  readonly chains: readonly ChainOptions[];
}

export interface ChainOptions {
  readonly id: number;
  readonly name: string;
  readonly displayName: string;
  readonly nodes: readonly string[];
  readonly publicRpcUrl: string;
  /** The account that deposits are paid to. */
  readonly depository: string;
  /** The account that fills are paid from, and the reference of its key. */
  readonly signer: { readonly address: string; readonly key: string };
  readonly currencies: readonly CurrencyOptions[];
  readonly finalityBlocks: number;
  readonly blockTimeMs: number;
  readonly timeoutMs: number;
}

/** The first one is the native coin. */
export interface CurrencyOptions {
  readonly address: string;
  readonly symbol: string;
  readonly name: string;
  readonly decimals: number;
  readonly group: string;
}

const text = (description: string, example: string) => ({ type: 'string', description, examples: [example] });
const whole = (description: string, example: number) => ({
  type: 'integer',
  minimum: 0,
  ...{ description, examples: [example] },
});
const object = (
  description: string,
  properties: Readonly<Record<string, object>>,
  required = Object.keys(properties),
) => ({
  type: 'object',
  additionalProperties: false,
  ...{ description, properties, required },
});

/** Every property has a description, and a default or examples: `causeway schema` and editors show them. */
export const optionsSchema: OptionsSchema = object('Chains of the family.', {
  chains: {
    type: 'array',
    minItems: 1,
    description: 'One entry per chain.',
    examples: [[]],
    items: object(
      'A chain.',
      {
        id: { ...whole('Chain id as integrators use it.', 990_002), minimum: 1 },
        name: text('Short machine name, unique over the service.', 'mine'),
        displayName: text('What people call it.', 'Mine'),
        nodes: {
          type: 'array',
          minItems: 1,
          items: { type: 'string' },
          description:
            'Addresses of nodes; never shown to clients. `devnet`: `causeway dev` starts one (src/devnet.ts).',
          examples: [['http://127.0.0.1:9000']],
        },
        publicRpcUrl: { ...text('A node that clients may use.', 'https://rpc.example.com'), default: '' },
        depository: text('Account that deposits are paid to.', 'vault'),
        signer: object('Account that fills are paid from.', {
          address: text('Its address.', 'fill'),
          key: text('Key reference, never the key itself.', 'env:FILL_KEY'),
        }),
        currencies: {
          type: 'array',
          minItems: 1,
          description: 'What is taken and paid out; the first one is the native coin.',
          examples: [[]],
          items: object('A currency.', {
            address: text('Canonical address, or what stands for the native coin.', 'coin'),
            symbol: text('What people call it.', 'MINE'),
            name: text('Its whole name.', 'Mine Coin'),
            decimals: whole('Digits behind the point.', 6),
            group: text('Currencies of one group are the same asset.', 'mine-coin'),
          }),
        },
        finalityBlocks: { ...whole('Blocks after which nothing is replaced.', 6), default: 6 },
        blockTimeMs: { ...whole('Typical time between blocks, milliseconds.', 1_000), default: 1_000 },
        timeoutMs: { ...whole('Longest wait for a node, milliseconds.', 4_000), default: 4_000 },
      },
      ['id', 'name', 'displayName', 'nodes', 'depository', 'signer', 'currencies'],
    ),
  },
});
