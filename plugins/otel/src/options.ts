import type { OptionsSchema } from '@causeway/core';

export interface OtelOptions {
  readonly url: string;
  /** Values, or key references. */
  readonly headers: Readonly<Record<string, string>>;
  readonly serviceName: string;
  readonly samplePercent: number;
  readonly timeoutMs: number;
}

export const optionsSchema: OptionsSchema = {
  type: 'object',
  additionalProperties: false,
  required: ['url'],
  properties: {
    url: {
      type: 'string',
      pattern: '^https?://',
      description: 'OTLP over HTTP, with its path: traces are posted there as JSON.',
      examples: ['http://127.0.0.1:4318/v1/traces'],
    },
    headers: {
      type: 'object',
      description: 'Headers of each post, for example an API key. A value env:NAME or file:PATH is read from there.',
      additionalProperties: { type: 'string' },
      default: {},
      examples: [{ 'x-api-key': 'env:OTEL_API_KEY' }],
    },
    serviceName: { type: 'string', minLength: 1, description: 'Name of this service in traces.', default: 'causeway' },
    samplePercent: {
      type: 'number',
      minimum: 0,
      maximum: 100,
      description:
        'Share of the requests that are traced, in percent, chosen by their ids: in every process the same ones.',
      default: 100,
    },
    timeoutMs: {
      type: 'integer',
      minimum: 100,
      maximum: 60_000,
      description: 'Time for one post, in milliseconds. What is not taken in time is dropped.',
      default: 5_000,
    },
  },
};
