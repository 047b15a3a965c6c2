import { integer, list, named, nullable, object, oneOf, text } from '../schema.js';
import { UNIX_MS } from './common.js';

const DAY_S = 86_400;

/** How long a rotated key is accepted where the caller does not say, in seconds. */
export const OVERLAP_S = DAY_S;
export const OVERLAP = integer({ minimum: 0, maximum: 30 * DAY_S });
export const KEY_ID = text({ minLength: 1, maxLength: 100 });
export const SECRET = text({ description: 'Shown only once.' });

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
    privateChains: list(text(), { description: 'UUIDs of private chains that it has access to.' }),
    createdAt: UNIX_MS,
    expiresAt: nullable(UNIX_MS),
    revokedAt: nullable(UNIX_MS),
    replacedBy: nullable(text({ description: 'Id of the key that replaced it.' })),
    lastUsedAt: nullable({ ...UNIX_MS, description: 'To the minute; null: not known.' }),
  }),
);
