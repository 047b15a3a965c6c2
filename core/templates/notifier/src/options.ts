import type { OptionsSchema } from '@causeway/core';

/** What a config says of this plugin, with defaults filled in. */
export interface Options {
  readonly url: string;
  /** Key reference, as `env:NAME` or `file:PATH`. */
  readonly token: string;
  readonly timeoutMs: number;
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
      description: 'Where events are posted.',
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
      description: 'Longest time for one delivery, milliseconds.',
      default: 15_000,
    },
  },
};
