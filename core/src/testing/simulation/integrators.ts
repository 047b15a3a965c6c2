import type { ApiKeyRow } from '../../contract/store-rows.js';
import { fakeAddress } from '../fake-chain/cheap-hash.js';

export const KEYS = 3;
const INTEGRATORS = 2;

export function keyName(key: number): string {
  return `key ${key}`;
}

export function integratorName(integrator: number): string {
  return `integrator ${integrator}`;
}

/** Linked to its app balance. */
export function fundingAddress(integrator: string): string {
  return fakeAddress(`funds of ${integrator}`);
}

export function integratorOf(key: number): string {
  return integratorName(key % INTEGRATORS);
}

export function keysOf(integrator: number): readonly string[] {
  return Array.from({ length: KEYS }, (_, key) => key).flatMap((key) =>
    key % INTEGRATORS === integrator ? [keyName(key)] : [],
  );
}

/** Integrators have different numbers of keys. */
export const EVERY_INTEGRATOR: readonly number[] = Array.from({ length: INTEGRATORS }, (_, n) => n);

export function keyRow(key: number, createdAt = 0): ApiKeyRow {
  const [id, integratorId] = [keyName(key), integratorOf(key)];
  return {
    ...{ id, version: 1, name: id, prefix: id, hash: id, integratorId, scopes: '["*"]', tier: 'default' },
    ...{ privateChains: '[]', createdAt, expiresAt: null, replacedBy: null, revokedAt: null },
  };
}
