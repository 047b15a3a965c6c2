import type { OptionsSchema } from '@causeway/core';

/** Options of this plugin as validated by `optionsSchema`, with defaults applied. */
export interface Options {
  /** Ids of the chains on which this source quotes swaps. */
  readonly chains: readonly number[];
}

/** Every property needs a `description`, and a `default` or `examples`: editors and `causeway schema` show them. */
export const optionsSchema: OptionsSchema = {
  type: 'object',
  additionalProperties: false,
  required: ['chains'],
  properties: {
    chains: {
      type: 'array',
      minItems: 1,
      items: { type: 'integer', minimum: 1 },
      description: 'Ids of the chains on which this source quotes swaps.',
      examples: [[1]],
    },
  },
};
