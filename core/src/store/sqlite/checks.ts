import type { Connection } from './connection.js';

export interface Durability {
  /** An acknowledged commit survives power loss. */
  readonly durable: boolean;
  readonly journalMode: string;
  readonly synchronous: 'off' | 'normal' | 'full' | 'extra' | 'unknown';
}

const SYNCHRONOUS = ['off', 'normal', 'full', 'extra'] as const;

/** Marks this service's database files: "CSWY". */
export const APPLICATION_ID = 0x43535759;

/** Files up to this size are checked fully at each start (about a second per 500 MB). */
const QUICK_CHECK_BYTES = 64 * 1024 * 1024;

export async function durabilityOf(connection: Connection): Promise<Durability> {
  const journalMode = String(await pragma(connection, 'journal_mode'));
  const synchronous = SYNCHRONOUS[Number(await pragma(connection, 'synchronous'))] ?? 'unknown';
  return { durable: synchronous === 'full' || synchronous === 'extra', journalMode, synchronous };
}

export async function checkDatabase(connection: Connection, file: string): Promise<void> {
  const durability = await durabilityOf(connection);
  if (!durability.durable || durability.journalMode !== 'wal') {
    throw new Error(`${file} runs with journal_mode=${durability.journalMode}, synchronous=${durability.synchronous}`);
  }
  const owner = Number(await pragma(connection, 'application_id'));
  if (owner === 0) await connection.run(`pragma application_id = ${APPLICATION_ID}`);
  else if (owner !== APPLICATION_ID) throw new Error(`${file} belongs to another program`);
  const size = Number(await pragma(connection, 'page_count')) * Number(await pragma(connection, 'page_size'));
  if (size > QUICK_CHECK_BYTES) return;
  const verdict = String(await pragma(connection, 'quick_check(1)'));
  if (verdict !== 'ok') throw new Error(`${file} is damaged: ${verdict}`);
}

export async function pragma(connection: Connection, name: string): Promise<unknown> {
  const [row] = await connection.all(`pragma ${name}`);
  return row && Object.values(row)[0];
}
