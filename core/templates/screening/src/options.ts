import type { OptionsSchema } from '@causeway/core';

/** What a config says of this plugin, with defaults filled in. */
export interface Options {
  readonly url: string;
  /** Key reference, as `env:NAME` or `file:PATH`. */
  readonly token: string;
}

/** Every property has a description, and a default or examples: `causeway schema` and editors show them. */
export const optionsSchema: OptionsSchema = {
  type: 'object',
  additionalProperties: false,
  required: ['url', 'token'],
  properties: {
    url: {
      type: 'string',
      pattern: '^https?://',
      description: 'Where it is asked about addresses.',
      examples: ['https://example.com/screen'],
    },
    token: {
      type: 'string',
      pattern: '^(env|file):.+$',
      description: 'Key reference of the bearer token, never the token itself.',
      examples: ['env:SCREENING_TOKEN'],
    },
  },
};
