import type { OptionsSchema } from '@causeway/core';

/** Options of this plugin as validated by `optionsSchema`, with defaults applied. */
export interface Options {
  readonly url: string;
  /** Key reference: `env:NAME` or `file:PATH`. */
  readonly token: string;
}

/** Every property needs a `description`, and a `default` or `examples`: editors and `causeway schema` show them. */
export const optionsSchema: OptionsSchema = {
  type: 'object',
  additionalProperties: false,
  required: ['url', 'token'],
  properties: {
    url: {
      type: 'string',
      pattern: '^https?://',
      description: 'URL of the screening service.',
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
