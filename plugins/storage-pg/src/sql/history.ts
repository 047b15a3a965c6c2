import { RESTORED_MARK } from '@causeway/core/sql';
import type { Held } from '../connections/connections.js';
import { isMissing, WENT_BACK } from '../errors.js';
import { literal, type Names } from './names.js';

/** The server's timeline: a promoted standby and a point-in-time recovery begin a new one. */
export const TIMELINE = 'left(pg_walfile_name(pg_current_wal_insert_lsn()), 8)';

/**
 * A restored dump has another identifier. Every role may read it unless the right was revoked. Too slow for each
 * change set (it reads a file); a session never changes its cluster.
 */
export const SYSTEM = 'select (pg_control_system()).system_identifier as system';

/** A crash that loses no commit may lose what was inserted beyond this durable position. */
export const POSITION = 'pg_current_wal_flush_lsn()';

export interface ServerHistory {
  /** Identifier of the cluster; empty where the role may not read it. */
  readonly system: string;
  readonly timeline: string;
  /** The log was durable up to here. */
  readonly position: string;
}

/** A refused call writes nothing. Checked every time, because sessions may outlive the promotion of their server. */
export const REFUSE_OTHER = `
  if ${TIMELINE} <> known_timeline or pg_current_wal_insert_lsn() < known_position then
    raise exception using errcode = '${WENT_BACK}', message = format(
      'the server is at %s of timeline %s, and this process relies on %s of timeline %s',
      pg_current_wal_insert_lsn(), ${TIMELINE}, known_position, known_timeline);
  end if;`;

export type Recorded =
  /** The server has no such log: promotions go unnoticed. */
  | { readonly history: null; readonly formerly: null }
  /** `formerly`: the other history that the ledger was last opened on, if any. */
  | { readonly history: ServerHistory; readonly formerly: string | null };

const NONE: Recorded = { history: null, formerly: null };

/**
 * If the history differs from the recorded one, the ledger is marked as restored in the same statement, before any
 * process works on it.
 *
 * @param at time of the mark; null where the operator who promoted a standby vouches that it has every acknowledged
 * commit.
 */
export async function recordHistory(held: Held, names: Names, at: number | null): Promise<Recorded> {
  const history = await ask(held);
  if (history === null) return NONE;
  const meta = names.table('meta');
  const name = `${history.system}/${history.timeline}`;
  const { rows } = await held.query({ text: `select value from ${meta} where key = $1`, values: [RECORD] });
  const before = rows[0]?.['value'];
  const formerly = typeof before === 'string' && !isSame(before, name) ? before : null;
  const mark = formerly !== null && at !== null;
  await held.query({
    text: `${mark ? `with marked as (${put(meta, RESTORED_MARK, 2, LATER)}) ` : ''}${put(meta, RECORD, 1, 'excluded.value')}`,
    values: mark ? [name, String(at)] : [name],
  });
  // A database that only speaks the protocol keeps its commits elsewhere: its log position says nothing about them.
  const { rows: now } = await held.query({
    text: 'select pg_current_wal_insert_lsn() > $1::pg_lsn as moved',
    values: [history.position],
  });
  return now[0]?.['moved'] === true ? { history, formerly } : NONE;
}

const RECORD = 'storage-pg:history';

/** Of two clocks' restore times the later counts, so that a doubted time stays in doubt. */
const LATER = 'greatest(m.value::bigint, excluded.value::bigint)::text';

function put(meta: string, key: string, parameter: number, value: string): string {
  return (
    `insert into ${meta} as m (key, version, value) values (${literal(key)}, 1, $${parameter}) ` +
    `on conflict (key) do update set version = m.version + 1, value = ${value}`
  );
}

async function ask(held: Held): Promise<ServerHistory | null> {
  const log = await answer(held, `select ${TIMELINE} as timeline, ${POSITION} as position`);
  if (log === null) return null;
  const system = (await answer(held, SYSTEM))?.['system'] ?? '';
  return { system: String(system), timeline: String(log['timeline']), position: String(log['position']) };
}

/** Null where the database or the role lacks it. */
async function answer(held: Held, text: string): Promise<Readonly<Record<string, unknown>> | null> {
  try {
    return (await held.query({ text })).rows[0] ?? null;
  } catch (error) {
    if (isMissing(error)) return null;
    throw error;
  }
}

function isSame(one: string, other: string): boolean {
  const [[system, timeline], [otherSystem, otherTimeline]] = [one.split('/'), other.split('/')];
  return timeline === otherTimeline && (system === '' || otherSystem === '' || system === otherSystem);
}
