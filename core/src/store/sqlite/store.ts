import { mkdir } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import type { Knex } from 'knex';
import type sqlite3 from 'sqlite3';
import type { Clock } from '../../contract/clock.js';
import type { ChainId, FundingKey, OrderId, RequestId, UnixMs } from '../../contract/ids.js';
import type { Logger, Metrics } from '../../contract/observability.js';
import type { Page, RequestSearch } from '../../contract/search.js';
import type { ApplyOutcome, ChangeSet, Lease, RequestView, Store } from '../../contract/store.js';
import type { HoldRow } from '../../contract/store-rows.js';
import { migrate } from '../migrations/index.js';
import * as depositReads from '../reads/deposits.js';
import * as legReads from '../reads/legs.js';
import type { Reader } from '../reads/reader.js';
import * as requestReads from '../reads/requests.js';
import * as serviceReads from '../reads/service.js';
import { searchPage, searchTotal } from '../search.js';
import { checkDatabase, type Durability, durabilityOf } from './checks.js';
import { type Connection, connectionOf } from './connection.js';
import { claimLeases, freeLeases, releaseLeases } from './leases.js';
import { lockDatabase } from './lock.js';
import { readerPool, writerPool } from './pools.js';
import { prune } from './prune.js';
import { Writer } from './writer.js';

export interface SqliteStoreOptions {
  /** Database file; its folder is made when missing. `<file>.lock` beside it is held while open. */
  readonly file: string;
  readonly clock: Clock;
  readonly log: Logger;
  readonly metrics: Metrics;
  /** Chains whose requests `search` shows only to callers that were granted them. Asked at each search. */
  readonly hiddenChains?: () => readonly ChainId[];
}

export interface SqliteStore extends Store {
  /** How the open database keeps its promises, as the database itself says. */
  durability(): Promise<Durability>;
}

/** Everything that exists only while the store is open. */
interface Opened {
  readonly writers: Knex;
  readonly readers: Knex;
  readonly writer: Writer;
  readonly database: sqlite3.Database;
  readonly connection: Connection;
  readonly unlock: () => Promise<void>;
}

/**
 * The store of one process on one SQLite file.
 *
 * Invariant: one connection writes, and only this process has it, so what the writer read in its transaction cannot
 * change under it. Readers see committed snapshots and can never write.
 */
export function sqliteStore(options: SqliteStoreOptions): SqliteStore {
  if (options.file === '' || options.file.includes(':memory:')) throw new Error('the store needs a file');
  const file = resolve(options.file);
  const { clock, log, metrics } = options;
  const hidden = options.hiddenChains ?? (() => []);
  let opened: Opened | undefined;

  const current = (): Opened => {
    if (!opened) throw new Error('the store is not open');
    return opened;
  };
  const read = async <T>(task: (reader: Reader) => Promise<T>): Promise<T> => task(current().readers);
  /** Several selects that see one snapshot. */
  const readTogether = async <T>(task: (reader: Reader) => Promise<T>): Promise<T> =>
    current().readers.transaction(task);

  return {
    async open() {
      if (opened) throw new Error('the store is open already');
      opened = await openAll(file, { clock, log, metrics });
    },
    async close() {
      if (!opened) return;
      const { writer, writers, readers, database, unlock } = opened;
      opened = undefined;
      await writer.close();
      await readers.destroy();
      await writers.client.releaseConnection(database);
      await writers.destroy();
      await unlock();
    },
    apply: async (set: ChangeSet): Promise<ApplyOutcome> => current().writer.apply(set),
    claimLeases: async (scopes: readonly string[], owner: string, ttlMs: number) =>
      claimLeases(current().writer, () => clock.monotonic(), scopes, owner, ttlMs),
    releaseLeases: async (leases: readonly Lease[], owner: string) => releaseLeases(current().writer, leases, owner),
    prune: async (now: UnixMs) => prune(current().writer, now),
    durability: async () => durabilityOf(current().connection),
    ping: () => read(async (reader) => void (await reader.raw('select 1'))),

    quote: (id: RequestId) => read((reader) => requestReads.quote(reader, id)),
    quotesByOrder: (ids: readonly OrderId[]) => read((reader) => requestReads.quotesByOrder(reader, ids)),
    tombstonesByOrder: (ids: readonly OrderId[]) => read((reader) => requestReads.tombstonesByOrder(reader, ids)),
    request: (id: RequestId) => read((reader) => requestReads.request(reader, id)),
    requests: (ids: readonly RequestId[]) => read((reader) => requestReads.requests(reader, ids)),
    requestsByOrder: (ids: readonly OrderId[]) => read((reader) => requestReads.requestsByOrder(reader, ids)),
    views: (ids: readonly RequestId[]) => readTogether((reader) => requestReads.views(reader, ids)),
    search: (search: RequestSearch) => readTogether((reader) => searchViews(reader, search, hidden())),
    unsettled: (limit: number, after?: RequestId) => read((reader) => requestReads.unsettled(reader, limit, after)),

    deposits: (keys: readonly FundingKey[]) => read((reader) => depositReads.deposits(reader, keys)),
    depositsAbove: (chain: ChainId, height: number) =>
      read((reader) => depositReads.depositsAbove(reader, chain, height)),
    depositsToFinalise: (chain: ChainId, height: number, limit: number) =>
      read((reader) => depositReads.depositsToFinalise(reader, chain, height, limit)),
    undecided: (chain: ChainId, limit: number) => read((reader) => depositReads.undecided(reader, chain, limit)),
    collectable: (chain: ChainId, limit: number) => read((reader) => depositReads.collectable(reader, chain, limit)),
    depositsOfCollect: (legId: string) => read((reader) => depositReads.depositsOfCollect(reader, legId)),

    legs: (ids: readonly string[]) => read((reader) => legReads.legs(reader, ids)),
    legsOfRequests: (ids: readonly RequestId[]) => read((reader) => legReads.legsOfRequests(reader, ids)),
    legsOfDeposits: (keys: readonly FundingKey[]) => read((reader) => legReads.legsOfDeposits(reader, keys)),
    claimDue: (chain: ChainId, signer: string, now: UnixMs, limit: number) =>
      read((reader) => legReads.claimDue(reader, chain, signer, now, limit)),
    openKeys: (chain: ChainId, signer: string, limit: number) =>
      readTogether((reader) => legReads.openKeys(reader, chain, signer, limit)),
    lane: (chain: ChainId, signer: string) => read((reader) => legReads.lane(reader, chain, signer)),
    lanes: () => read(legReads.lanes),
    cursor: (chain: ChainId) => read((reader) => serviceReads.cursor(reader, chain)),

    pots: (prefix: string) => read((reader) => serviceReads.pots(reader, prefix)),
    pot: (account: string) => read((reader) => serviceReads.pot(reader, account)),
    events: (after: number, limit: number) => read((reader) => serviceReads.events(reader, after, limit)),
    undescribed: (limit: number) => read((reader) => serviceReads.undescribed(reader, limit)),
    apiKeyByHash: (hash: string) => read((reader) => serviceReads.apiKeyByHash(reader, hash)),
    apiKeys: () => read(serviceReads.apiKeys),
    pauses: () => read(serviceReads.pauses),
    holds: (state: HoldRow['state']) => read((reader) => serviceReads.holds(reader, state)),
    meta: (key: string) => read((reader) => serviceReads.meta(reader, key)),
  };
}

async function searchViews(
  reader: Reader,
  search: RequestSearch,
  hidden: readonly ChainId[],
): Promise<Page<RequestView>> {
  const { found, more } = await searchPage(reader, search, hidden);
  const rows = await requestReads.views(
    reader,
    found.map((row) => row.id as RequestId),
  );
  const last = found.at(-1);
  return {
    rows,
    ...(more && last ? { next: last } : {}),
    ...(search.total ? { total: await searchTotal(reader, search.filter, hidden) } : {}),
  };
}

async function openAll(file: string, deps: { clock: Clock; log: Logger; metrics: Metrics }): Promise<Opened> {
  await mkdir(dirname(file), { recursive: true });
  const unlock = await lockDatabase(file);
  const writers = writerPool(file, deps.log);
  const readers = readerPool(file, deps.log);
  let database: sqlite3.Database | undefined;
  try {
    await migrate(writers);
    database = (await writers.client.acquireConnection()) as sqlite3.Database;
    const connection = connectionOf(database);
    await checkDatabase(connection, file);
    await freeLeases(connection);
    await readers.raw('select 1');
    return { writers, readers, writer: new Writer({ connection, ...deps }), database, connection, unlock };
  } catch (error) {
    // A pool waits for what was taken from it before it ends.
    if (database) await writers.client.releaseConnection(database);
    await readers.destroy();
    await writers.destroy();
    await unlock();
    throw error;
  }
}
