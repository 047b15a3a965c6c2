import type { Clock } from '../../contract/clock.js';
import type { ChainId, UnixMs } from '../../contract/ids.js';
import type { Store } from '../../contract/store.js';
import { identityOf } from '../prepare.js';
import { MemoryDatabase } from './memory-database.js';
import { prune } from './memory-prune.js';
import * as reads from './memory-reads.js';
import { search } from './memory-search.js';
import { laneOf } from './memory-tables.js';

export interface MemorySnapshot {
  readonly rows: number;
}

export interface MemoryStoreOptions {
  /** The database's clock: its monotonic side decides lease expiry. */
  readonly clock: Pick<Clock, 'monotonic'>;
  readonly from?: MemorySnapshot;
  /** Chains whose requests `search` shows only to authorised callers. Read at each search. */
  readonly hiddenChains?: () => readonly ChainId[];
}

export interface MemoryStore extends Store {
  /** Costs a copy of the tables' keys, not of their rows. */
  snapshot(): MemorySnapshot;
  another(): MemoryStore;
  /** Committed state, for oracles, which need more than the store contract shows. Read-only. */
  readonly database: MemoryDatabase;
}

class Snapshot implements MemorySnapshot {
  readonly #database: MemoryDatabase;

  constructor(database: MemoryDatabase) {
    this.#database = new MemoryDatabase(database, true);
  }

  get rows(): number {
    return Object.values(this.#database.tables).reduce((sum, table) => sum + table.size, 0);
  }

  restore(): MemoryDatabase {
    const database = new MemoryDatabase(this.#database);
    database.freeLeases();
    return database;
  }
}

/**
 * Each call is judged and answered from committed state at the moment of the call; only the answer is delayed. Rows
 * are frozen, so readers cannot change the database.
 */
export function memoryStore(options: MemoryStoreOptions): MemoryStore {
  const { from } = options;
  if (from !== undefined && !(from instanceof Snapshot)) throw new TypeError('not a snapshot of a memory store');
  return storeOn(from?.restore() ?? new MemoryDatabase(), options);
}

function storeOn(database: MemoryDatabase, options: MemoryStoreOptions): MemoryStore {
  const { tables, indexes } = database;
  const hidden = options.hiddenChains ?? (() => []);
  let state: 'new' | 'open' | 'closed' = 'new';

  const at = async <T>(task: () => T): Promise<T> => {
    if (state !== 'open') throw new Error(`the store is ${state === 'new' ? 'not open' : 'closed'}`);
    return task();
  };

  return {
    database,
    snapshot: () => new Snapshot(database),
    another: () => storeOn(database, options),
    async open() {
      if (state === 'open') throw new Error('the store is open already');
      state = 'open';
    },
    async close() {
      state = 'closed';
    },
    ping: () => at(() => undefined),
    apply: (set) => at(() => database.apply(set)),
    claimLeases: (scopes, owner, ttlMs) =>
      at(() => database.claimLeases(scopes, owner, { now: options.clock.monotonic(), ttlMs })),
    releaseLeases: (leases, owner) => at(() => database.releaseLeases(leases, owner)),
    prune: (now: UnixMs, anonymousLifeMs?: number, deliveryLifeMs?: number) =>
      at(() => prune(database, now, anonymousLifeMs, deliveryLifeMs)),

    quote: (id) => at(() => tables.quotes.get(id)),
    quotesByOrder: (ids) => at(() => reads.byUnique(tables.quotes, 1, ids)),
    unpaidQuotes: (limit) => at(() => reads.take([...tables.quotes.rows()], limit, (row) => row.keyId === null).length),
    tombstonesByOrder: (ids) => at(() => reads.byKey(tables.tombstones, ids)),
    ordersByPrefix: (prefixes) => at(() => reads.ordersByPrefix(database, prefixes)),
    request: (id) => at(() => tables.requests.get(id)),
    requests: (ids) => at(() => reads.byKey(tables.requests, ids)),
    requestsByOrder: (ids) => at(() => reads.byUnique(tables.requests, 1, ids)),
    views: (ids) => at(() => reads.views(database, ids)),
    shown: (id) => at(() => reads.byKey(database.tables.requests, [id]).map((row) => reads.shownOf(database, row))[0]),
    statuses: (ids) => at(() => reads.statuses(database, ids)),
    clientMetadata: (ids) => at(() => reads.byKey(tables.clientMetadata, ids)),
    idempotencyKey: (id) => at(() => tables.idempotencyKeys.get(id)),
    search: (asked) => at(() => search(database, asked, hidden())),
    stuck: (before, lanes, limit) => at(() => reads.stuck(database, before, lanes, limit)),
    unsettled: (limit, after) => at(() => reads.unsettled(database, limit, after)),

    recentFills: (since, limit) => at(() => reads.recentFills(database, since, limit)),

    deposits: (keys) => at(() => reads.byKey(tables.deposits, keys)),
    depositsAbove: (chain, height) =>
      at(() => indexes.included.list(chain).filter((row) => (row.height ?? 0) > height)),
    depositsToFinalise: (chain, height, limit) =>
      at(() => reads.take(indexes.included.list(chain), limit, (row) => (row.height ?? 0) <= height)),
    unconfirmed: (chain, limit) => at(() => reads.take(indexes.unconfirmed.list(chain), limit)),
    undecided: (chain, limit) => at(() => reads.take(indexes.undecided.list(chain), limit)),
    collectable: (chain, limit) => at(() => reads.take(indexes.collectable.list(chain), limit)),
    depositsOfCollect: (legId) => at(() => [...indexes.depositsOfCollect.list(legId)]),
    depositsAt: (chain, addresses) =>
      at(() =>
        [...new Set(addresses)]
          .flatMap((one) => indexes.depositsAt.list(one).filter(({ chainId }) => chainId === chain))
          .sort((a, b) => a.seenAt - b.seenAt || (a.fundingKey < b.fundingKey ? -1 : 1)),
      ),
    undecidedAt: (chain, limit) =>
      at(() => reads.take(indexes.undecided.list(chain), limit, ({ depositAddress }) => depositAddress !== null)),
    unswept: (chain, { seenAt, fundingKey }, limit) =>
      at(() =>
        reads.take(
          indexes.unswept.list(chain),
          limit,
          (row) => row.seenAt > seenAt || (row.seenAt === seenAt && row.fundingKey > fundingKey),
        ),
      ),
    addresses: (ids) => at(() => reads.byKey(tables.addresses, ids)),
    addressesOf: (salts) => at(() => [...new Set(salts)].flatMap((salt) => [...indexes.addressesOf.list(salt)])),
    addressesAfter: (chain, after, limit) =>
      at(() =>
        // Rows are never removed, so a row's place is its position.
        indexes.addressesOfChain
          .list(chain)
          .slice(after, after + limit)
          .map((row, n) => ({ ...row, position: after + n + 1 })),
      ),
    nonceMappings: (ids) => at(() => reads.byKey(tables.nonceMappings, ids)),

    executions: (ids) => at(() => reads.byKey(tables.executions, ids)),
    executionsOf: (ids) => at(() => reads.executionsOf(database, ids)),
    executionsAbove: (chain, height) =>
      at(() => indexes.executed.list(chain).filter((row) => (row.height ?? 0) > height)),
    executionsToFinalise: (chain, height, limit) =>
      at(() => reads.take(indexes.executed.list(chain), limit, (row) => (row.height ?? 0) <= height)),
    hintsAfter: ({ createdAt, id }, limit) =>
      at(() =>
        reads.take(
          indexes.hintsOfRequests.list(''),
          limit,
          (row) => row.createdAt > createdAt || (row.createdAt === createdAt && row.id > id),
        ),
      ),

    legs: (ids) => at(() => reads.byKey(tables.legs, ids)),
    legsOfRequests: (ids) => at(() => reads.legsOf(indexes.legsOfRequest, ids)),
    legsOfDeposits: (keys) => at(() => reads.legsOf(indexes.legsOfDeposit, keys)),
    claimDue: (chain, signer, now, limit) =>
      at(() => reads.take(indexes.due.list(laneOf(chain, signer)), limit, (row) => row.dueAt <= now)),
    openKeys: (chain, signer, limit) =>
      at(() =>
        reads.take(indexes.openKeys.list(laneOf(chain, signer)), limit).map((key) => reads.openKey(database, key)),
      ),
    keysOfLegs: (ids) => at(() => reads.keysOfLegs(database, ids)),
    waiting: (chain, signer, limit) =>
      at(() => {
        const owed = reads.take(indexes.due.list(laneOf(chain, signer)), limit);
        const newest = [...indexes.openKeys.list(laneOf(chain, signer))].slice(-limit);
        return owed.length + newest.filter(({ includedHash }) => includedHash === null).length;
      }),
    attemptsByHash: (chain, hashes) =>
      at(() =>
        reads.byUnique(
          tables.attempts,
          1,
          hashes.map((hash) => identityOf([chain, hash])),
        ),
      ),
    lane: (chain, signer) =>
      at(() => indexes.lanes.list('').find((row) => row.chainId === chain && row.signer === signer)),
    lanes: () => at(() => [...indexes.lanes.list('')]),
    cursor: (chain) => at(() => tables.cursors.get(String(chain))),

    pots: (prefix) => at(() => potsOf(database, prefix)),
    pot: (account) => at(() => database.pots.get(account) ?? 0n),
    feedEnd: () => at(() => database.events.length),
    endpoints: () => at(() => [...indexes.endpoints.list('')]),
    endpoint: (id) => at(() => tables.endpoints.get(id)),
    deliveriesOf: (endpoint, filter) => at(() => reads.deliveriesOf(database, endpoint, filter)),
    deliveriesAgain: (endpoints, limit) => at(() => reads.deliveriesAgain(database, endpoints, limit)),
    deliveries: (ids) => at(() => reads.byKey(tables.deliveries, ids)),
    openDeliveries: (requests, endpoints) => at(() => reads.openDeliveries(database, requests, endpoints)),
    dueDeliveries: (endpoints, now, each) => at(() => reads.dueDeliveries(database, endpoints, now, each)),
    backlog: () => at(() => reads.backlog(database)),
    firstDue: (endpoints) => at(() => reads.firstDue(database, endpoints)),
    events: (after, limit) => at(() => database.events.slice(Math.max(0, after), Math.max(0, after) + limit)),
    requestsOfKey: (keyId, after, limit) => at(() => reads.requestsOfKey(indexes, keyId, after, limit)),
    eventsOf: (request, after) =>
      at(() => database.events.filter((event) => event.requestId === request && event.position > after)),
    undescribed: (limit) => at(() => reads.take(indexes.undescribed.list(''), limit)),

    apiKeyByHash: (hash) => at(() => reads.byUnique(tables.apiKeys, 1, [hash])[0]),
    apiKey: (id) => at(() => tables.apiKeys.get(id)),
    apiKeys: () => at(() => [...indexes.apiKeys.list('')]),
    apiKeysOf: (integratorId) => at(() => [...indexes.apiKeysOf.list(integratorId)]),
    integrator: (id) => at(() => tables.integrators.get(id)),
    integrators: () => at(() => [...indexes.integrators.list('')]),
    pauses: () => at(() => [...indexes.pauses.list('')]),
    holds: (held) => at(() => [...indexes.holds.list(held)]),
    hold: (id) => at(() => tables.holds.get(id)),
    feeClaim: (id) => at(() => reads.claimViews(database, reads.byKey(tables.feeClaims, [id]))[0]),
    earmarks: (ids) => at(() => reads.byKey(tables.earmarks, ids)),
    overdueEarmarks: (before, limit) =>
      at(() =>
        indexes.overdue
          .list('')
          .filter((row) => row.expiresAt < before)
          .slice(0, limit),
      ),
    feeClaims: (wallets, limit, after) => at(() => reads.feeClaims(database, wallets, limit, after)),
    holdsOfTransaction: (hash, limit) => at(() => reads.take(indexes.holdsOfTransaction.list(hash), limit)),
    sponsorships: (ids) => at(() => reads.byUnique(tables.sponsorships, 1, ids)),
    openSponsorships: (after, limit) =>
      at(() => reads.take(indexes.openSponsorships.list(''), limit, (row) => reads.isAfter(row, after))),
    balanceEvents: (integratorId, filter, limit, after) =>
      at(() => reads.balanceEvents(database, integratorId, filter, limit, after)),
    postings: (from, to, limit, after) => at(() => reads.postings(database, from, to, limit, after)),
    sponsorPolicy: (keyId) => at(() => tables.sponsorPolicies.get(keyId)),
    meta: (key) => at(() => tables.meta.get(key)),
  };
}

function potsOf(database: MemoryDatabase, prefix: string): { account: string; amount: bigint }[] {
  const found: { account: string; amount: bigint }[] = [];
  for (const [account, amount] of database.pots) if (account.startsWith(prefix)) found.push({ account, amount });
  return found.sort((a, b) => (a.account < b.account ? -1 : 1));
}
