import { LRUCache } from 'lru-cache';
import type sqlite3 from 'sqlite3';
import type { RawRow } from '../rows.js';

export const MAX_STATEMENTS = { reader: 96, writer: 384 } as const;
const TEXTS_PER_STATEMENT = 8;
/** Longer texts write many rows at once and rarely repeat, so they are not cached. */
const MAX_CHARACTERS = 8_192;

const NOTHING_RUN = { lastID: 0, changes: 0 } as sqlite3.RunResult;

type Cells = readonly unknown[];
type AllDone = (error: Error | null, rows: RawRow[]) => void;
type RunDone = (this: sqlite3.RunResult, error: Error | null) => void;

/**
 * Reuses prepared statements in `all` and `run`: preparing a short one takes longer than running it, plus a thread
 * hop. A text's first use is not prepared, as most searches occur once. Statements run to their end, so idle ones
 * hold no snapshot.
 */
export function keepPrepared(database: sqlite3.Database, most: number): void {
  const seen = new LRUCache<string, true>({ max: most * TEXTS_PER_STATEMENT });
  const kept = new LRUCache<string, sqlite3.Statement>({ max: most, dispose: (statement) => statement.finalize() });
  const plainAll = database.all.bind(database) as (sql: string, cells: Cells, done: AllDone) => void;
  const plainRun = database.run.bind(database) as (sql: string, cells: Cells, done: RunDone) => void;
  const close = database.close.bind(database);
  const statementOf = (sql: string, fail: (error: Error) => void): sqlite3.Statement | undefined => {
    const known = kept.get(sql);
    if (known !== undefined) return known;
    if (!seen.has(sql)) {
      if (sql.length <= MAX_CHARACTERS) seen.set(sql, true);
      return undefined;
    }
    const statement = database.prepare(sql, (error: Error | null) => error && fail(error));
    kept.set(sql, statement);
    return statement;
  };
  const all = (sql: string, cells: Cells, done: AllDone): void => {
    const finish: AllDone = (error, rows) => {
      if (error) kept.delete(sql);
      done(error, rows);
    };
    const statement = statementOf(sql, (error) => finish(error, []));
    if (statement === undefined) plainAll(sql, cells, done);
    else statement.all(cells, finish);
  };
  const run = (sql: string, cells: Cells, done: RunDone): void => {
    const finish: RunDone = function (error) {
      if (error) kept.delete(sql);
      done.call(this, error);
    };
    const statement = statementOf(sql, (error) => finish.call(NOTHING_RUN, error));
    if (statement === undefined) plainRun(sql, cells, done);
    else statement.run(cells, finish);
  };
  Object.assign(database, {
    all,
    run,
    // A database with open statements does not close.
    close: (done?: (error: Error | null) => void) => {
      kept.clear();
      close(done);
    },
  });
}
