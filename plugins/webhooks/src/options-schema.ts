import type { OptionsSchema } from '@causeway/core';

const STATUSES = ['waiting', 'depositing', 'pending', 'submitted', 'success', 'fallback', 'failure', 'refund'];

const ms = (fallback: number, description: string): object => ({
  type: 'integer',
  minimum: 10,
  maximum: 120_000,
  description: `${description} Milliseconds.`,
  default: fallback,
});

const endpoint = {
  type: 'object',
  description: 'An endpoint that receives events.',
  additionalProperties: false,
  required: ['name', 'url', 'secrets'],
  properties: {
    name: {
      type: 'string',
      pattern: '^[a-z][a-z0-9-]{0,40}$',
      description: 'Permanent name of the endpoint: its undelivered events are stored under this name.',
      examples: ['shop'],
    },
    url: {
      type: 'string',
      pattern: '^https?://[\\x21-\\x7e]{1,2000}$',
      description: 'Where events are posted. `http` is for local networks and for addresses of `allow`.',
      examples: ['https://example.com/causeway'],
    },
    secrets: {
      type: 'array',
      minItems: 1,
      maxItems: 5,
      uniqueItems: true,
      items: { type: 'string', pattern: '^(env|file):.+$' },
      description:
        'Key references of the secrets that bodies are signed with, the newest first: each signs, so that a receiver knows the old one until it has the new one. A secret is `whsec_` and the base64 of 24 to 64 random bytes.',
      examples: [['env:SHOP_WEBHOOK_SECRET']],
    },
    signatures: {
      type: 'array',
      minItems: 1,
      uniqueItems: true,
      items: { enum: ['standard', 'timestamped'] },
      description:
        '`standard`: the headers of Standard Webhooks. `timestamped`: `X-Signature-Timestamp` and `X-Signature-SHA256`, lower-case hex of the HMAC-SHA256 over the timestamp, a dot and the body, whose key is the text of the first secret.',
      default: ['standard'],
    },
    headers: {
      type: 'object',
      propertyNames: { pattern: '^[A-Za-z0-9-]{1,100}$' },
      additionalProperties: { type: 'string', pattern: '^[\\x20-\\x7e]{0,2000}$' },
      description:
        'Further headers. `env:NAME` and `file:PATH` are key references; anything else is taken as it is. Those of the protocol and of the signature cannot be set.',
      default: {},
      examples: [{ authorization: 'env:SHOP_TOKEN' }],
    },
    chains: {
      type: 'array',
      uniqueItems: true,
      items: { type: 'integer' },
      description: 'Only requests from or to these chains. Default: all.',
      default: [],
    },
    statuses: {
      type: 'array',
      uniqueItems: true,
      items: { enum: STATUSES },
      description: 'Only events of these statuses. Default: all.',
      default: [],
    },
  },
  examples: [{ name: 'shop', url: 'https://example.com/causeway', secrets: ['env:SHOP_WEBHOOK_SECRET'] }],
};

export const optionsSchema: OptionsSchema = {
  type: 'object',
  additionalProperties: false,
  properties: {
    endpoints: {
      type: 'array',
      maxItems: 1_000,
      items: endpoint,
      description:
        'Endpoints that receive the events of all requests, each on its own. Integrators register endpoints for theirs at `/webhooks/endpoints`.',
      default: [],
      examples: [[{ name: 'shop', url: 'https://example.com/causeway', secrets: ['env:SHOP_WEBHOOK_SECRET'] }]],
    },
    allow: {
      type: 'array',
      items: { type: 'string' },
      description:
        'Networks (CIDR) or addresses that endpoints may have though they are not public: private, loopback and link-local ones and those of metadata services are refused otherwise, whatever name leads there. On local networks all are allowed.',
      default: [],
      examples: [['10.1.0.0/16']],
    },
    ports: {
      type: 'array',
      minItems: 1,
      uniqueItems: true,
      items: { type: 'integer', minimum: 1, maximum: 65_535 },
      description: 'Ports that endpoints may have. On local networks all are allowed.',
      default: [80, 443, 8080, 8443],
    },
    connectMs: ms(5_000, 'Longest time for a connection.'),
    answerMs: ms(15_000, 'Longest time until the head of the answer.'),
    totalMs: ms(20_000, 'Longest time of a delivery.'),
  },
};
