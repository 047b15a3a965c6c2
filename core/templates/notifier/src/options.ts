import type { OptionsSchema } from '@causeway/core';

/** Options of this plugin as validated by `optionsSchema`, with defaults applied. */
export interface Options {
  readonly url: string;
  /** Key reference: `env:NAME` or `file:PATH`. */
  readonly token: string;
  readonly timeoutMs: number;
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
      description: 'URL to which events are posted.',
      examples: ['https://example.com/events'],
    },
    token: {
      type: 'string',
      pattern: '^(env|file):.+$',
      description: 'Key reference of the bearer token, never the token itself.',
      examples: ['env:EVENTS_TOKEN'],
    },
    timeoutMs: {
      type: 'integer',
      minimum: 1,
      description: 'Timeout of one delivery, milliseconds.',
      default: 15_000,
    },
  },
};
