import type { Identity, Principal, Principals } from '../../contract/plugin-routes.js';
import type { Store } from '../../contract/store.js';
import type { ApiKeyRow } from '../../contract/store-rows.js';
import { apiError } from '../../errors/api-error.js';
import { type KeyLookup, keyState, sameSecret } from '../keys.js';
import type { IncomingMessage } from '../server/http-types.js';

export interface PrincipalDeps {
  readonly store: Pick<Store, 'apiKey'>;
  readonly keys: KeyLookup;
  readonly clock: { now(): number };
  readonly adminKey: string | null;
}

/** What a forwarded call may do. Replaces all keys that came with it. */
export interface Authority {
  readonly key: ApiKeyRow | null;
  readonly isOperator: boolean;
}

const AUTHORITY = Symbol('the authority of a forwarded call');
type Forwarded = IncomingMessage & { [AUTHORITY]?: Authority };

export function authorityOf(request: IncomingMessage): Authority | undefined {
  return (request as Forwarded)[AUTHORITY];
}

export function actWith(request: IncomingMessage, authority: Authority): void {
  (request as Forwarded)[AUTHORITY] = authority;
}

export function principalOf({ id, integratorId }: ApiKeyRow): Principal {
  return { role: 'integrator', keyId: id, integratorId };
}

export function createPrincipals({ keys, adminKey, ...deps }: PrincipalDeps): Principals {
  const admin: Identity = { principal: { role: 'admin' }, name: null, expiresAt: null };
  return {
    identify: async (given) => {
      if (adminKey !== null && sameSecret(given, adminKey)) return admin;
      const row = await keys(given);
      // Keys are cached for seconds; what is begun with one is not.
      const now = row && (await activeKey(deps, row.id));
      return now ? identityOf(now) : undefined;
    },
    standing: async (principal) => {
      if (principal.role === 'admin') return adminKey === null ? undefined : admin;
      const row = await activeKey(deps, principal.keyId);
      return row && identityOf(row);
    },
  };
}

/** @throws ApiError UNAUTHORIZED when the principal has ended. */
export async function authorityFor(deps: PrincipalDeps, principal: Principal | null): Promise<Authority> {
  if (principal === null) return { key: null, isOperator: false };
  if (principal.role === 'admin' && deps.adminKey !== null) return { key: null, isOperator: true };
  const key = principal.role === 'integrator' ? await activeKey(deps, principal.keyId) : undefined;
  // guard: revoked-principals
  if (key === undefined) throw apiError('UNAUTHORIZED', 'The key of this session is no longer valid');
  return { key, isOperator: false };
}

async function activeKey({ store, clock }: Pick<PrincipalDeps, 'store' | 'clock'>, id: string) {
  const row = await store.apiKey(id);
  return row && keyState(row, clock.now()) === 'active' ? row : undefined;
}

function identityOf(row: ApiKeyRow): Identity {
  return { principal: principalOf(row), name: row.name, expiresAt: row.expiresAt };
}
