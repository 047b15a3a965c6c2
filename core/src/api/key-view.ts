import type { ApiKeyRow } from '../contract/store-rows.js';
import { grantedChains, keyState, scopesOf } from './keys.js';

/** Never the secret, nor its hash. @param lastUses Unix milliseconds by key id. */
export function keyView(row: ApiKeyRow, now: number, lastUses: ReadonlyMap<string, number>) {
  const { id, name, prefix, integratorId, tier, createdAt, expiresAt, revokedAt, replacedBy } = row;
  const rights = { scopes: scopesOf(row), tier, privateChains: grantedChains(row) };
  return {
    ...{ id, name, prefix, integratorId, state: keyState(row, now), ...rights },
    ...{ createdAt, expiresAt, revokedAt, replacedBy, lastUsedAt: lastUses.get(id) ?? null },
  };
}
