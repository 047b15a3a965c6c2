import type { Lease } from '@causeway/core';
import type { Connections } from './connections/connections.js';

export interface LeaseStatements {
  readonly claim: string;
  readonly release: string;
}

/** @param connections of its own: a heartbeat that waits behind change sets would lose its leases under load. */
export async function claimLeases(
  connections: Connections,
  { claim }: LeaseStatements,
  scopes: readonly string[],
  owner: string,
  ttlMs: number,
): Promise<readonly Lease[]> {
  if (scopes.length === 0) return [];
  const values = [[...new Set(scopes)], owner, Math.floor(ttlMs)];
  const { rows } = await connections.run({ name: 'claim', text: claim, values });
  return rows.map((row) => ({ scope: String(row['held_scope']), token: Number(row['held_token']) }));
}

export async function releaseLeases(
  connections: Connections,
  { release }: LeaseStatements,
  leases: readonly Lease[],
  owner: string,
): Promise<void> {
  if (leases.length === 0) return;
  const values = [leases.map(({ scope }) => scope), leases.map(({ token }) => token), owner];
  await connections.run({ name: 'release', text: release, values });
}
