import type { Lease } from '@causeway/core';
import type { Connections } from './connections/connections.js';
import type { History } from './history.js';

export interface LeaseStatements {
  readonly claim: string;
  readonly release: string;
}

/**
 * @param connections separate ones: a heartbeat behind change sets would lose its leases under load.
 * @throws DatabaseWentBackError where the server's history differs or is shorter.
 */
export async function claimLeases(
  { connections, history }: { readonly connections: Connections; readonly history: History },
  { claim }: LeaseStatements,
  scopes: readonly string[],
  owner: string,
  ttlMs: number,
): Promise<readonly Lease[]> {
  if (scopes.length === 0) return [];
  const values = [[...new Set(scopes)], owner, Math.floor(ttlMs), ...history.known()];
  const { rows } = await connections.run({ name: 'claim', text: claim, values }).catch((error: unknown) => {
    throw history.wentBack(error) ?? error;
  });
  history.note(rows[0]?.['position']);
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
