import type { OptionsSchema } from '@causeway/core';

/** Options of this plugin as validated by `optionsSchema`, with defaults applied. */
export interface Options {
  /** URL of the database, or a key reference (`env:NAME`, `file:PATH`) if the URL contains a password. */
  readonly url: string;
}

/** Every property needs a `description`, and a `default` or `examples`: editors and `causeway schema` show them. */
export const optionsSchema: OptionsSchema = {
  type: 'object',
  additionalProperties: false,
  required: ['url'],
  properties: {
    url: {
      type: 'string',
      description: 'URL of the database; env:NAME or file:PATH if the URL contains a password.',
      examples: ['env:DATABASE_URL'],
    },
  },
};
