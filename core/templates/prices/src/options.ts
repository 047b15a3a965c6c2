import type { OptionsSchema } from '@causeway/core';

/** What a config says of this plugin, with defaults filled in. */
export interface Options {
  readonly url: string;
  /** What the feed calls a currency, by asset group or by `<chain id>:<currency address>`, which counts first. */
  readonly names: Readonly<Record<string, string>>;
  readonly everyMs: number;
  readonly staleAfterMs: number;
  readonly timeoutMs: number;
}

/** Every property has a description, and a default or examples: `causeway schema` and editors show them. */
export const optionsSchema: OptionsSchema = {
  type: 'object',
  additionalProperties: false,
  required: ['url', 'names'],
  properties: {
    url: {
      type: 'string',
      pattern: '^https?://',
      description: 'Where prices are asked for.',
      examples: ['https://example.com/prices'],
    },
    names: {
      type: 'object',
      additionalProperties: { type: 'string', description: 'Name at the feed.', examples: ['ether'] },
      description:
        'What the feed calls a currency, by asset group or by `<chain id>:<currency address>`, which counts first.',
      examples: [{ ether: 'ETH' }],
    },
    everyMs: { type: 'integer', minimum: 1, description: 'Time between two questions, milliseconds.', default: 5_000 },
    staleAfterMs: {
      type: 'integer',
      minimum: 1,
      description: 'A price that was learnt longer ago is not used any more, milliseconds.',
      default: 60_000,
    },
    timeoutMs: {
      type: 'integer',
      minimum: 1,
      description: 'Longest wait for an answer, milliseconds.',
      default: 4_000,
    },
  },
};
