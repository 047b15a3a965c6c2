import type { OptionsSchema } from '@causeway/core';

/** What a config says of this plugin, with defaults filled in. */
export interface Options {
  /** Ids of the chains that it serves. */
  readonly chains: readonly number[];
}

/** Every property has a description, and a default or examples: `causeway schema` and editors show them. */
export const optionsSchema: OptionsSchema = {
  type: 'object',
  additionalProperties: false,
  required: ['chains'],
  properties: {
    chains: {
      type: 'array',
      minItems: 1,
      items: { type: 'integer', minimum: 1 },
      description: 'Ids of the chains that swaps are quoted on.',
      examples: [[1]],
    },
  },
};
