import type { OptionsSchema } from '@causeway/core';

const REFERENCE = { type: 'string', pattern: '^(env:[A-Za-z_][A-Za-z0-9_]*|file:.+)$' };

export const optionsSchema: OptionsSchema = {
  type: 'object',
  description: 'Keys in a server that signs transactions (Web3Signer, or another one with `eth_signTransaction`).',
  required: ['url'],
  additionalProperties: false,
  properties: {
    url: {
      type: 'string',
      pattern: '^https?://',
      description: 'JSON-RPC endpoint of the server. HTTPS, or HTTP on this machine. Without credentials.',
      examples: ['https://signer.example.org:9000'],
    },
    auth: {
      type: 'object',
      description: 'Credentials, sent with each request: a bearer token, or a user and a password. Default: none.',
      additionalProperties: false,
      properties: {
        bearer: { ...REFERENCE, description: 'Token: `env:NAME` or `file:PATH`.', examples: ['env:SIGNER_TOKEN'] },
        user: { type: 'string', pattern: '^[^:]{1,200}$', description: 'User name.', examples: ['causeway'] },
        password: {
          ...REFERENCE,
          description: 'Password: `env:NAME` or `file:PATH`.',
          examples: ['file:keys/signer-password'],
        },
      },
      oneOf: [
        { required: ['bearer'], not: { anyOf: [{ required: ['user'] }, { required: ['password'] }] } },
        { required: ['user', 'password'], not: { required: ['bearer'] } },
      ],
      examples: [{ bearer: 'env:SIGNER_TOKEN' }, { user: 'causeway', password: 'file:keys/signer-password' }],
    },
    timeoutMs: {
      type: 'integer',
      minimum: 50,
      maximum: 30_000,
      description: 'Timeout of a complete answer. A signature that comes later is not used. Milliseconds.',
      default: 5_000,
    },
    allowPlainHttp: {
      type: 'boolean',
      description: 'Allows HTTP to another machine, where anyone between can read credentials and change answers.',
      default: false,
    },
  },
};
