import type { OptionsSchema } from '@causeway/core';

/** Options of this plugin as validated by `optionsSchema`, with defaults applied. */
export interface Options {
  readonly url: string;
  /** The feed's name of a currency, by `<chain id>:<currency address>` or by asset group. The address takes precedence. */
  readonly names: Readonly<Record<string, string>>;
  readonly everyMs: number;
  readonly staleAfterMs: number;
  readonly timeoutMs: number;
}

/** Every property needs a `description`, and a `default` or `examples`: editors and `causeway schema` show them. */
export const optionsSchema: OptionsSchema = {
  type: 'object',
  additionalProperties: false,
  required: ['url', 'names'],
  properties: {
    url: {
      type: 'string',
      pattern: '^https?://',
      description: 'URL of the price feed.',
      examples: ['https://example.com/prices'],
    },
    names: {
      type: 'object',
      additionalProperties: { type: 'string', description: 'Name of the currency at the feed.', examples: ['ether'] },
      description:
        "The feed's name of a currency, by `<chain id>:<currency address>` or by asset group. The address takes precedence.",
      examples: [{ ether: 'ETH' }],
    },
    everyMs: { type: 'integer', minimum: 1, description: 'Time between two polls, milliseconds.', default: 5_000 },
    staleAfterMs: {
      type: 'integer',
      minimum: 1,
      description: 'Maximum age of a price that is used, milliseconds.',
      default: 60_000,
    },
    timeoutMs: {
      type: 'integer',
      minimum: 1,
      description: 'Timeout of a request to the feed, milliseconds.',
      default: 4_000,
    },
  },
};
