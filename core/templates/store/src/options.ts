import type { OptionsSchema } from '@causeway/core';

/** What a config says of this plugin, with defaults filled in. */
export interface Options {
  /** Where the database is, or a key reference that holds that, since such an address may carry a password. */
  readonly url: string;
}

/** Every property has a description, and a default or examples: `causeway schema` and editors show them. */
export const optionsSchema: OptionsSchema = {
  type: 'object',
  additionalProperties: false,
  required: ['url'],
  properties: {
    url: {
      type: 'string',
      description: 'Where the database is; env:NAME or file:PATH where the address holds a password.',
      examples: ['env:DATABASE_URL'],
    },
  },
};
