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
      description: 'URL to which events are posted. `http` only on local networks and for addresses in `allow`.',
      examples: ['https://example.com/causeway'],
    },
    secrets: {
      type: 'array',
      minItems: 1,
      maxItems: 5,
      uniqueItems: true,
      items: { type: 'string', pattern: '^(env|file):.+$' },
      description:
        'Key references of the signing secrets, newest first. Each secret signs, so that a receiver can verify with the old one until it has the new one. A secret is `whsec_` and the base64 of 24 to 64 random bytes.',
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
        'Further headers. `env:NAME` and `file:PATH` are key references; other values are sent unchanged. Headers of the protocol and of the signature cannot be set.',
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
        'Endpoints that receive the events of all requests. Integrators register endpoints for their own requests at `/webhooks/endpoints`.',
      default: [],
      examples: [[{ name: 'shop', url: 'https://example.com/causeway', secrets: ['env:SHOP_WEBHOOK_SECRET'] }]],
    },
    allow: {
      type: 'array',
      items: { type: 'string' },
      description:
        'Networks (CIDR) or addresses that are allowed for endpoints although they are not public. Without an entry, private, loopback and link-local addresses and those of metadata services are refused, also if a name resolves to them. On local networks all are allowed.',
      default: [],
      examples: [['10.1.0.0/16']],
    },
    ports: {
      type: 'array',
      minItems: 1,
      uniqueItems: true,
      items: { type: 'integer', minimum: 1, maximum: 65_535 },
      description: 'Allowed ports of endpoints. On local networks all are allowed.',
      default: [80, 443, 8080, 8443],
    },
    connectMs: ms(5_000, 'Timeout of a connection.'),
    answerMs: ms(15_000, 'Timeout until the headers of the response.'),
    totalMs: ms(20_000, 'Timeout of a delivery.'),
  },
};
