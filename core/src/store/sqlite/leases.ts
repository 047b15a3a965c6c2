import type { Lease } from '../../contract/store.js';
import type { Connection } from './connection.js';
import type { Source } from './kept-answers.js';
import { tuples } from './write.js';
import type { Writer } from './writer.js';

const WRITTEN: readonly Source[] = ['leases'];

/** A free lease has a token that no owner was given, so its last holder's writes are refused. */
const FREE = 'update leases set owner = null, expires_at = 0, version = version + 1 where';

/**
 * Takes a lease that is free, expired, or already this owner's, in which case the token stays.
 *
 * Race closed here: it is one statement of the only writing connection, so two owners never both read a lease as
 * free.
 */
const claimSql = (count: number) =>
  `insert into leases (scope, version, owner, expires_at) values ${tuples(count, 4)} ` +
  'on conflict (scope) do update set ' +
  'version = leases.version + (leases.owner is not excluded.owner), ' +
  'owner = excluded.owner, expires_at = excluded.expires_at ' +
  'where leases.owner is null or leases.owner = excluded.owner or leases.expires_at <= ?';

/** Frees the leases of a dead process: only one process at a time has the database open. */
export function freeLeases(connection: Connection): Promise<unknown> {
  return connection.run(`${FREE} owner is not null`);
}

export async function claimLeases(
  writer: Writer,
  now: () => number,
  scopes: readonly string[],
  owner: string,
  ttlMs: number,
): Promise<readonly Lease[]> {
  if (scopes.length === 0) return [];
  let held: readonly Lease[] = [];
  await writer.alone(async (connection) => {
    const at = Math.floor(now());
    const cells = scopes.flatMap((scope) => [scope, 1, owner, at + ttlMs]);
    await connection.run(claimSql(scopes.length), [...cells, at]);
    const rows = await connection.all(
      `select scope, version from leases where owner = ? and scope in ${tuples(1, scopes.length)} order by scope`,
      [owner, ...scopes],
    );
    held = rows.map((row) => ({ scope: row['scope'] as string, token: Number(row['version']) }));
  }, WRITTEN);
  return held;
}

export async function releaseLeases(writer: Writer, leases: readonly Lease[], owner: string): Promise<void> {
  if (leases.length === 0) return;
  await writer.alone(async (connection) => {
    for (const { scope, token } of leases) {
      await connection.run(`${FREE} scope = ? and owner = ? and version = ?`, [scope, owner, token]);
    }
  }, WRITTEN);
}
