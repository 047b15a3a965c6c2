import { LRUCache } from 'lru-cache';
import type sqlite3 from 'sqlite3';
import type { RawRow } from '../rows.js';

/** Statements that one connection keeps. */
const MOST = 32;
/** Statement texts that are remembered, so that a text which comes a second time is known. */
const MOST_TEXTS = 256;

type All = (sql: string, cells: readonly unknown[], done: (error: Error | null, rows: RawRow[]) => void) => void;

/**
 * Makes `all` of a connection keep the statements that come back, prepared: to prepare a short one takes longer than to
 * run it, and each time a turn of a thread. A statement is read to its end, so none of them holds a snapshot while it waits.
 * What is asked for once only, as most searches are, is not kept.
 */
export function keepPrepared(database: sqlite3.Database): void {
  const seen = new LRUCache<string, true>({ max: MOST_TEXTS });
  const kept = new LRUCache<string, sqlite3.Statement>({ max: MOST, dispose: (statement) => statement.finalize() });
  const plain = database.all.bind(database) as All;
  const close = database.close.bind(database);
  const all: All = (sql, cells, done) => {
    const finish = (error: Error | null, rows: RawRow[]) => {
      if (error) kept.delete(sql);
      done(error, rows);
    };
    let statement = kept.get(sql);
    if (statement === undefined) {
      if (!seen.has(sql)) {
        seen.set(sql, true);
        return plain(sql, cells, done);
      }
      statement = database.prepare(sql, (error: Error | null) => error && finish(error, []));
      kept.set(sql, statement);
    }
    statement.all(cells, finish);
  };
  Object.assign(database, {
    all,
    // A database with statements does not close.
    close: (done?: (error: Error | null) => void) => {
      kept.clear();
      close(done);
    },
  });
}
