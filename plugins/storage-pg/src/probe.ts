import type { Clock, ProbeResult } from '@causeway/core';
import type { Connections } from './connections/connections.js';
import type { PgOptions } from './options.js';
import { literal, type Names } from './sql/names.js';

/** A larger clock skew shows in timestamps; leases use the database's clock only. */
const MAX_SKEW_MS = 2_000;

interface Watch extends Pick<PgOptions, 'synchronousStandby'> {
  readonly timeline: string | undefined;
}

/** Never throws, never names the URL. */
export async function probe(
  connections: Connections,
  names: Names,
  clock: Pick<Clock, 'now'>,
  watch: Watch,
): Promise<readonly ProbeResult[]> {
  try {
    const before = clock.now();
    const { rows } = await connections.run({ text: facts(names) });
    const after = clock.now();
    return [...findings(rows[0]!, before, after), failover(rows[0]!, watch)];
  } catch (error) {
    const message = `does not answer: ${error instanceof Error ? error.message : String(error)}`;
    return [{ name: 'database', ok: false, level: 'error', message, optionPath: 'url' }];
  }
}

function facts(names: Names): string {
  const setting = (name: string) => `current_setting(${literal(name)}, true) as ${name}`;
  return (
    `select ${['server_version', 'synchronous_commit', 'synchronous_standby_names', 'fsync', 'full_page_writes'].map(setting).join(', ')}, ` +
    'pg_is_in_recovery() as standby, floor(extract(epoch from clock_timestamp()) * 1000)::bigint as now, ' +
    `(select string_agg(name, ', ' order by id) from ${names.table('schema_migrations')}) as steps`
  );
}

function findings(row: Readonly<Record<string, unknown>>, before: number, after: number): readonly ProbeResult[] {
  const { server_version: version, synchronous_commit: commit, fsync, full_page_writes: pages, standby, steps } = row;
  const durable = (commit === 'on' || commit === 'remote_apply') && fsync === 'on' && pages === 'on';
  const settings = `synchronous_commit=${commit}, fsync=${fsync}, full_page_writes=${pages}`;
  const skew = Math.round(Number(row['now']) - (before + after) / 2);
  const level = { level: 'error', optionPath: 'url' } as const;
  return [
    { ...level, name: 'database', ok: true, message: `PostgreSQL ${version}; schema: ${steps}` },
    standby
      ? {
          ...level,
          name: 'database role',
          ok: false,
          message: 'a standby, which accepts no writes; configure the primary',
        }
      : { ...level, name: 'database role', ok: true, message: 'primary' },
    durable
      ? { ...level, name: 'database durability', ok: true, message: `durable (${settings})` }
      : { ...level, name: 'database durability', ok: false, message: `not durable (${settings}); all must be on` },
    {
      name: 'database clock',
      ok: Math.abs(skew) <= MAX_SKEW_MS,
      level: 'warning',
      message: `${Math.abs(skew)} ms ${skew < 0 ? 'behind' : 'ahead of'} this machine`,
    },
  ];
}

function failover(
  { synchronous_standby_names: standbys }: Readonly<Record<string, unknown>>,
  { timeline, synchronousStandby }: Watch,
): ProbeResult {
  const name = 'database failover';
  if (synchronousStandby && standbys === '')
    return {
      ...{ name, ok: false, level: 'error', optionPath: 'synchronousStandby' },
      message:
        'synchronousStandby is true, but synchronous_standby_names is empty: commits may be missing on a promoted standby',
    };
  if (timeline === undefined)
    return {
      ...{ name, ok: false, level: 'warning', optionPath: 'url' },
      message: 'the server reports no timeline, so commits lost by a failover would not be detected',
    };
  const waited = standbys === '' ? 'no commit waits for a standby' : `commits wait for ${String(standbys)}`;
  return { name, ok: true, level: 'error', message: `detected (timeline ${timeline}); ${waited}` };
}
