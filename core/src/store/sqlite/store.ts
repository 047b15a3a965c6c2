import { mkdir, statfs } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import type { Knex } from 'knex';
import type sqlite3 from 'sqlite3';
import type { Clock } from '../../contract/clock.js';
import type { ChainId, UnixMs } from '../../contract/ids.js';
import type { Logger, Metrics } from '../../contract/observability.js';
import type { ApplyOutcome, ChangeSet, Lease, Store } from '../../contract/store.js';
import { migrate } from '../migrations/index.js';
import type { Reader } from '../reads/reader.js';
import { checkDatabase, type Durability, durabilityOf } from './checks.js';
import { answered, type Connection, connectionOf } from './connection.js';
import { Epoch } from './epoch.js';
import { keepingReads } from './keeping-reads.js';
import { KeptAnswers } from './kept-answers.js';
import { LastSigned } from './last-signed.js';
import { claimLeases, freeLeases, releaseLeases } from './leases.js';
import { lockDatabase } from './lock.js';
import { readerPool, writerPool } from './pools.js';
import { keepPrivate } from './private-file.js';
import { prune } from './prune.js';
import { inTime } from './search-time.js';
import { Writer } from './writer.js';

export interface SqliteStoreOptions {
  /** Its folder is created when missing. `<file>.lock` is held while open. */
  readonly file: string;
  /**
   * tmpfs folder for the note of the newest attempt, by which a start recognises a restored older database. Absent,
   * or on a disk: it cannot.
   */
  readonly memory?: string;
  readonly clock: Clock;
  readonly log: Logger;
  readonly metrics: Metrics;
  readonly hiddenChains?: () => readonly ChainId[];
}

export interface SqliteStore extends Store {
  durability(): Promise<Durability>;
}

interface Opened {
  readonly writers: Knex;
  readonly readers: Knex;
  readonly searchers: Knex;
  readonly writer: Writer;
  readonly epoch: Epoch;
  readonly kept: KeptAnswers;
  readonly database: sqlite3.Database;
  readonly connection: Connection;
  readonly unlock: () => Promise<void>;
}

/**
 * Invariant: one connection writes, and only this process has it, so what the writer reads for its transaction cannot
 * change under it. Readers see committed snapshots and can never write.
 */
export function sqliteStore(options: SqliteStoreOptions): SqliteStore {
  if (options.file === '' || options.file.includes(':memory:')) throw new Error('the store needs a file');
  const file = resolve(options.file);
  const { clock, log, metrics } = options;
  const hidden = options.hiddenChains ?? (() => []);
  const listeners = new Set<() => void>();
  let opened: Opened | undefined;

  const current = (): Opened => {
    if (!opened) throw new Error('the store is not open');
    return opened;
  };
  const read = <T>(task: (reader: Reader) => Promise<T>): Promise<T> => answered(async () => task(current().readers));
  const readTogether = <T>(task: (reader: Reader) => Promise<T>): Promise<T> =>
    answered(async () => current().readers.transaction(task));

  const readSearch = <T>(task: (reader: Reader) => Promise<T>): Promise<T> =>
    answered(async () => inTime(current().searchers, clock, task));

  return {
    async open() {
      if (opened) throw new Error('the store is open already');
      opened = await openAll(file, options.memory, { clock, log, metrics });
    },
    async close() {
      if (!opened) return;
      const { writer, epoch, writers, readers, searchers, database, unlock } = opened;
      opened = undefined;
      await writer.close();
      epoch.close();
      await searchers.destroy();
      await readers.destroy();
      await writers.client.releaseConnection(database);
      await writers.destroy();
      await unlock();
    },
    async apply(set: ChangeSet): Promise<ApplyOutcome> {
      const outcome = await current().writer.apply(set);
      if (outcome.ok && set.changes.some((change) => change.op === 'insert' && change.table === 'events'))
        for (const listener of [...listeners]) listener();
      return outcome;
    },
    onEvents(listener: () => void) {
      const mine = () => listener();
      listeners.add(mine);
      return () => void listeners.delete(mine);
    },
    claimLeases: async (scopes: readonly string[], owner: string, ttlMs: number) =>
      claimLeases(current().writer, () => clock.monotonic(), scopes, owner, ttlMs),
    releaseLeases: async (leases: readonly Lease[], owner: string) => releaseLeases(current().writer, leases, owner),
    prune: async (now: UnixMs, anonymousLifeMs?: number, deliveryLifeMs?: number) =>
      prune(current().writer, clock, now, anonymousLifeMs, deliveryLifeMs),
    freeBytes: async () => {
      const { bavail, bsize } = await statfs(dirname(file), { bigint: true });
      return bavail * bsize;
    },
    durability: async () => durabilityOf(current().connection),
    ...keepingReads({ read, readTogether, readSearch, hidden }, () => current().kept),
  };
}

async function openAll(
  file: string,
  memory: string | undefined,
  deps: { clock: Clock; log: Logger; metrics: Metrics },
): Promise<Opened> {
  await mkdir(dirname(file), { recursive: true });
  const unlock = await lockDatabase(file);
  await keepPrivate(file);
  const writers = writerPool(file, deps.log);
  const readers = readerPool(file, deps.log);
  const searchers = readerPool(file, deps.log);
  let database: sqlite3.Database | undefined;
  try {
    await migrate(writers);
    database = (await writers.client.acquireConnection()) as sqlite3.Database;
    const connection = connectionOf(database);
    await checkDatabase(connection, file);
    await freeLeases(connection);
    await readers.raw('select 1');
    const epoch = await Epoch.open(connection, memory === undefined ? undefined : LastSigned.open(file, memory));
    const kept = new KeptAnswers();
    const writer = new Writer({ connection, epoch, kept, ...deps });
    return { writers, readers, searchers, writer, epoch, kept, database, connection, unlock };
  } catch (error) {
    // A closing pool waits until every connection is returned.
    if (database) await writers.client.releaseConnection(database);
    await searchers.destroy();
    await readers.destroy();
    await writers.destroy();
    await unlock();
    throw error;
  }
}
