import { list, named, nullable, object, oneOf, text } from '../schema.js';
import { UNIX_MS } from './common.js';

export const INTEGRATOR = named(
  'Integrator',
  object({
    id: text(),
    name: text(),
    fundingAddress: nullable(text({ description: 'Payments from here fund its app balance.' })),
    createdAt: UNIX_MS,
  }),
);

/** Never contains the secret or its hash. */
export const API_KEY = named(
  'ApiKey',
  object({
    id: text(),
    name: nullable(text()),
    prefix: text({ description: 'The part before the secret.' }),
    integratorId: text(),
    state: oneOf(['active', 'expired', 'revoked']),
    scopes: list(text()),
    tier: oneOf(['default', 'elevated']),
    privateChains: list(text(), { description: 'UUIDs of private chains whose requests it may see.' }),
    createdAt: UNIX_MS,
    expiresAt: nullable(UNIX_MS),
    revokedAt: nullable(UNIX_MS),
    replacedBy: nullable(text({ description: 'Id of the key that took its place.' })),
  }),
);
