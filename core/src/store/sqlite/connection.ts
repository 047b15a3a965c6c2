import type sqlite3 from 'sqlite3';
import { StoreUnavailableError } from '../../contract/store.js';
import type { Cell, RawRow } from '../rows.js';

/** One SQLite connection with promises. Statements keep their order only if each is awaited. */
export interface Connection {
  run(sql: string, cells?: readonly Cell[]): Promise<number>;
  all(sql: string, cells?: readonly Cell[]): Promise<RawRow[]>;
  /** In order, and not atomic: ends at the first that fails. */
  script(statements: readonly string[]): Promise<void>;
}

export function connectionOf(database: sqlite3.Database): Connection {
  return {
    run: (sql, cells = []) =>
      new Promise((resolve, reject) => {
        database.run(sql, cells, function (error) {
          if (error) reject(error);
          else resolve(this.changes);
        });
      }),
    all: (sql, cells = []) =>
      new Promise((resolve, reject) => {
        database.all<RawRow>(sql, cells, (error, rows) => {
          if (error) reject(error);
          else resolve(rows);
        });
      }),
    script: (statements) =>
      new Promise((resolve, reject) => {
        database.exec(statements.join(';\n'), (error) => {
          if (error) reject(error);
          else resolve();
        });
      }),
  };
}

function codeOf(error: unknown): string {
  return String((error as { code?: unknown } | null)?.code ?? '');
}

export function isBusy(error: unknown): boolean {
  return codeOf(error) === 'SQLITE_BUSY' || codeOf(error) === 'SQLITE_LOCKED';
}

const OUTAGES = [
  'BUSY',
  'LOCKED',
  'IOERR',
  'FULL',
  'CORRUPT',
  'NOTADB',
  'CANTOPEN',
  'READONLY',
  'NOMEM',
  'PROTOCOL',
  'MISUSE',
];

export function isOutage(error: unknown): boolean {
  return OUTAGES.some((code) => codeOf(error) === `SQLITE_${code}`);
}

const REASONS: Readonly<Record<string, string>> = {
  SQLITE_BUSY: 'another program has kept the database locked for too long',
  SQLITE_LOCKED: 'another program has kept the database locked for too long',
  SQLITE_FULL: 'there is no room left on the disk of the database',
  SQLITE_READONLY: 'the database may not be written to',
  SQLITE_CORRUPT: 'the database is damaged; restore a backup',
};

export function unavailable(error: unknown, what: string): StoreUnavailableError {
  const code = codeOf(error);
  const reason = REASONS[code] ?? 'the database failed';
  return new StoreUnavailableError(`${what}: ${reason} (${code})`, { cause: error });
}

export async function answered<T>(task: () => Promise<T>): Promise<T> {
  try {
    return await task();
  } catch (error) {
    throw isOutage(error) ? unavailable(error, 'the database did not answer') : error;
  }
}

export function isUniqueViolation(error: unknown): boolean {
  return codeOf(error) === 'SQLITE_CONSTRAINT' && /UNIQUE constraint failed/.test(String((error as Error).message));
}
