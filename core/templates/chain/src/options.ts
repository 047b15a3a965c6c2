import type { OptionsSchema } from '@causeway/core';

/** Options of this plugin as validated by `optionsSchema`, with defaults applied. */
export interface Options {
  readonly chains: readonly ChainOptions[];
}

export interface ChainOptions {
  readonly id: number;
  readonly name: string;
  readonly displayName: string;
  readonly nodes: readonly string[];
  readonly publicRpcUrl: string;
  /** Account that receives deposits. */
  readonly depository: string;
  /** Account that pays fills, and the reference of its key (`env:NAME` or `file:PATH`). */
  readonly signer: { readonly address: string; readonly key: string };
  readonly currencies: readonly CurrencyOptions[];
  readonly finalityBlocks: number;
  readonly blockTimeMs: number;
  readonly timeoutMs: number;
}

/** A currency. The first of a chain is its native coin. */
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

/** Every property needs a `description`, and a `default` or `examples`: editors and `causeway schema` show them. */
export const optionsSchema: OptionsSchema = object('Chains of this family.', {
  chains: {
    type: 'array',
    minItems: 1,
    description: 'One entry per chain.',
    examples: [[]],
    items: object(
      'A chain.',
      {
        id: { ...whole('Chain id in the API.', 990_002), minimum: 1 },
        name: text('Short machine name, unique in the service.', 'mine'),
        displayName: text('Name for display.', 'Mine'),
        nodes: {
          type: 'array',
          minItems: 1,
          items: { type: 'string' },
          description: 'URLs of nodes; never shown to clients. `devnet`: `causeway dev` starts a node (src/devnet.ts).',
          examples: [['http://127.0.0.1:9000']],
        },
        publicRpcUrl: { ...text('URL of a node that clients may use.', 'https://rpc.example.com'), default: '' },
        depository: text('Account that receives deposits.', 'vault'),
        signer: object('Account that pays fills.', {
          address: text('Its address.', 'fill'),
          key: text('Key reference, never the key itself.', 'env:FILL_KEY'),
        }),
        currencies: {
          type: 'array',
          minItems: 1,
          description: 'Currencies for deposits and payouts; the first is the native coin.',
          examples: [[]],
          items: object('A currency.', {
            address: text('Canonical address, or the placeholder of the native coin.', 'coin'),
            symbol: text('Name for display.', 'MINE'),
            name: text('Full name.', 'Mine Coin'),
            decimals: whole('Decimal places.', 6),
            group: text('Currencies of one group are the same asset.', 'mine-coin'),
          }),
        },
        finalityBlocks: { ...whole('Confirmations after which a block is final.', 6), default: 6 },
        blockTimeMs: { ...whole('Typical time between blocks, milliseconds.', 1_000), default: 1_000 },
        timeoutMs: { ...whole('Timeout of a query to a node, milliseconds.', 4_000), default: 4_000 },
      },
      ['id', 'name', 'displayName', 'nodes', 'depository', 'signer', 'currencies'],
    ),
  },
});
