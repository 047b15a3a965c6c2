import type { Knex } from 'knex';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Hex } from '../../src/contract/ids.js';
import * as addresses from '../../src/store/reads/addresses.js';
import { backlog } from '../../src/store/reads/backlog.js';
import * as balances from '../../src/store/reads/balances.js';
import * as deliveries from '../../src/store/reads/deliveries.js';
import * as deposits from '../../src/store/reads/deposits.js';
import * as due from '../../src/store/reads/due-deliveries.js';
import * as earmarks from '../../src/store/reads/earmarks.js';
import * as executions from '../../src/store/reads/executions.js';
import * as claims from '../../src/store/reads/fee-claims.js';
import { recentFills } from '../../src/store/reads/fills.js';
import * as legs from '../../src/store/reads/legs.js';
import * as nonces from '../../src/store/reads/nonce-mappings.js';
import { ordersByPrefix } from '../../src/store/reads/orders-by-prefix.js';
import { postings } from '../../src/store/reads/postings.js';
import type { Reader } from '../../src/store/reads/reader.js';
import * as requests from '../../src/store/reads/requests.js';
import * as service from '../../src/store/reads/service.js';
import { statuses } from '../../src/store/reads/statuses.js';
import { storeReads } from '../../src/store/reads/store-reads.js';
import { stuck } from '../../src/store/reads/stuck.js';
import type { RawRow } from '../../src/store/rows.js';
import { connectionOf } from '../../src/store/sqlite/connection.js';
import { closeDatabase, openDatabase } from '../../src/store/sqlite/open.js';
import { readerPool } from '../../src/store/sqlite/pools.js';
import { changeSet, insert, orderId, requestId, requestRow } from '../../src/testing/store-fixtures.js';
import { type All, type Asked, growing, linesOf, millionRows } from './plans.js';
import { log, type SqliteHarness, sqliteHarness } from './sqlite-harness.js';

let harness: SqliteHarness;
let reader: Knex;

beforeAll(async () => {
  harness = await sqliteHarness();
  reader = readerPool(harness.file, log);
  // Skewed values mislead a guessing planner.
  const rows = Array.from({ length: 3_000 }, (_, n) =>
    requestRow(n, { status: n % 100 === 0 ? 'pending' : 'success' }),
  );
  for (let at = 0; at < rows.length; at += 500) {
    await harness.store.apply(changeSet(...rows.slice(at, at + 500).map((row) => insert('requests', row))));
  }
});

afterAll(async () => {
  await reader.destroy();
  await harness.dispose();
});

async function plansOf(read: (reader: Reader) => Promise<unknown>): Promise<string[]> {
  const asked: Asked[] = [];
  const listen = (query: Asked) => asked.push({ sql: query.sql, bindings: query.bindings });
  reader.on('query', listen);
  await read(reader);
  reader.removeListener('query', listen);
  const lines = await linesOf(all, asked);
  expect(lines.length).toBeGreaterThan(0);
  return lines;
}

const all: All = async (sql, bindings) => (await reader.raw(sql, bindings as string[])) as RawRow[];
const sorts = (lines: readonly string[]) => lines.filter((line) => line.includes('TEMP B-TREE FOR ORDER BY'));

const id = requestId(1);
/** `OPEN_READWRITE` of the driver. */
const READ_WRITE = 2;

/** Potentially large. */
const LIMITED = [
  'unsettled',
  'depositsToFinalise',
  'undecided',
  'undecidedAt',
  'collectable',
  'claimDue',
  'undescribed',
  'holds',
  'holdsOfTransaction',
  'feeClaims',
  'overdueEarmarks',
  'openSponsorships',
  'balanceEvents',
  'postings',
  'dueDeliveries',
  'executionsToFinalise',
  'hintsAfter',
  'deliveriesOf',
];

describe('every named read', () => {
  const reads: Readonly<Record<string, (reader: Reader) => Promise<unknown>>> = {
    quote: (r) => requests.quote(r, id),
    unpaidQuotes: (r) => requests.unpaidQuotes(r, 1_000),
    quotesByOrder: (r) => requests.quotesByOrder(r, [orderId(1), orderId(2)]),
    tombstonesByOrder: (r) => requests.tombstonesByOrder(r, [orderId(1), orderId(2)]),
    ordersByPrefix: (r) => ordersByPrefix(r, [orderId(1).slice(0, 34), orderId(2).slice(0, 34)] as Hex[]),
    request: (r) => requests.request(r, id),
    requests: (r) => requests.requests(r, [id, requestId(2)]),
    requestsByOrder: (r) => requests.requestsByOrder(r, [orderId(1)]),
    unsettled: (r) => requests.unsettled(r, 10, id),
    stuck: (r) => stuck(r, 5, [{ chainId: 1, signer: 's' }], 10),
    recentFills: (r) => recentFills(r, 0, 10),
    views: (r) => requests.views(r, [id, requestId(2)]),
    statuses: (r) => statuses(r, [id, requestId(2)]),
    deposits: (r) => deposits.deposits(r, ['a', 'b']),
    depositsAbove: (r) => deposits.depositsAbove(r, 1, 5),
    depositsToFinalise: (r) => deposits.depositsToFinalise(r, 1, 5, 10),
    unconfirmed: (r) => deposits.unconfirmed(r, 1, 10),
    undecided: (r) => deposits.undecided(r, 1, 10),
    collectable: (r) => deposits.collectable(r, 1, 10),
    depositsOfCollect: (r) => deposits.depositsOfCollect(r, 'x'),
    depositsAt: (r) => deposits.depositsAt(r, 1, ['a', 'b']),
    undecidedAt: (r) => deposits.undecidedAt(r, 1, 10),
    unswept: (r) => deposits.unswept(r, 1, { seenAt: 5, fundingKey: 'a' }, 10),
    addresses: (r) => addresses.addresses(r, ['1:a']),
    addressesOf: (r) => addresses.addressesOf(r, [id]),
    addressesAfter: (r) => addresses.addressesAfter(r, 1, 5, 10),
    nonceMappings: (r) => nonces.nonceMappings(r, ['1:a:0', '1:a:1']),
    legs: (r) => legs.legs(r, ['a', 'b']),
    legsOfRequests: (r) => legs.legsOfRequests(r, [id]),
    legsOfDeposits: (r) => legs.legsOfDeposits(r, ['a']),
    claimDue: (r) => legs.claimDue(r, 1, 's', 5, 10),
    attemptsByHash: (r) => legs.attemptsByHash(r, 1, ['0x1']),
    openKeys: (r) => legs.openKeys(r, 1, 's', 10),
    cursor: (r) => service.cursor(r, 1),
    pots: (r) => service.pots(r, 'inventory:'),
    pot: (r) => service.pot(r, 'a'),
    events: (r) => service.events(r, 5, 10),
    requestsOfKey: (r) => requests.requestsOfKey(r, 'a', { updatedAt: 5, id }, 10),
    eventsOf: (r) => service.eventsOf(r, id, 5),
    feedEnd: (r) => deliveries.feedEnd(r),
    endpoints: (r) => deliveries.endpoints(r),
    endpoint: (r) => deliveries.endpoint(r, 'a'),
    deliveriesOf: async (r) => {
      for (const asked of [{}, { state: 'open' }, { state: 'failed' }, { state: 'delivered' }] as const)
        await deliveries.deliveriesOf(r, 'a', { ...asked, before: 9, limit: 10 });
    },
    deliveriesAgain: (r) => deliveries.deliveriesAgain(r, ['a', 'b'], 10),
    deliveries: (r) => deliveries.deliveries(r, ['a', 'b']),
    openDeliveries: (r) => deliveries.openDeliveries(r, [id, requestId(2)], ['a', 'b']),
    dueDeliveries: (r) => due.dueDeliveries(r, ['a', 'b'], 5, 10),
    backlog: (r) => backlog(r),
    firstDue: (r) => due.firstDue(r, ['a', 'b']),
    undescribed: (r) => service.undescribed(r, 10),
    apiKeyByHash: (r) => service.apiKeyByHash(r, 'x'),
    apiKey: (r) => service.apiKey(r, 'x'),
    apiKeysOf: (r) => service.apiKeysOf(r, 'x'),
    integrator: (r) => service.integrator(r, 'x'),
    holds: (r) => service.holds(r, 'open'),
    hold: (r) => service.hold(r, 'x'),
    holdsOfTransaction: (r) => service.holdsOfTransaction(r, '0x1', 20),
    executions: (r) => executions.executions(r, ['a', 'b']),
    executionsOf: (r) => executions.executionsOf(r, [id]),
    executionsAbove: (r) => executions.executionsAbove(r, 1, 5),
    executionsToFinalise: (r) => executions.executionsToFinalise(r, 1, 5, 10),
    hintsAfter: (r) => executions.hintsAfter(r, { createdAt: 5, id: 'a' }, 10),
    feeClaim: (r) => claims.feeClaim(r, id),
    feeClaims: (r) => claims.feeClaims(r, ['0x1', '0x2'], 20, { createdAt: 5, id }),
    earmarks: (r) => earmarks.earmarks(r, [id, requestId(2)]),
    overdueEarmarks: (r) => earmarks.overdueEarmarks(r, 5, 10),
    sponsorships: (r) => balances.sponsorships(r, [id, requestId(2)]),
    openSponsorships: (r) => balances.openSponsorships(r, { createdAt: 5, id }, 10),
    balanceEvents: async (r) => {
      for (const filter of [{}, { kind: 'deposit', requestId: id, chainId: 1, currency: 'x' }] as const)
        await balances.balanceEvents(r, 'a', filter, 10, { createdAt: 5, id: 'a' });
    },
    postings: async (r) => {
      await postings(r, 5, 9, 10);
      await postings(r, 5, 9, 10, { createdAt: 6, groupId: 'g', account: 'a' });
    },
    sponsorPolicy: (r) => balances.sponsorPolicy(r, 'x'),
    meta: (r) => service.meta(r, 'x'),
    clientMetadata: (r) => requests.clientMetadata(r, [id]),
    idempotencyKey: (r) => requests.idempotencyKey(r, 'x'),
    shown: (r) => requests.shown(r, [id]),
    keysOfLegs: (r) => legs.keysOfLegs(r, ['l']),
    waiting: (r) => legs.waiting(r, 1, 's', 10),
    lane: (r) => legs.lane(r, 1, 's'),
    lanes: (r) => legs.lanes(r),
    apiKeys: (r) => service.apiKeys(r),
    integrators: (r) => service.integrators(r),
    pauses: (r) => service.pauses(r),
    ping: (r) => r.raw('select 1'),
  };

  /** Cheap checks before the reads. */
  const extra: typeof reads = {
    nextDue: (r) => legs.nextDue(r),
    lanesWithOpenKeys: (r) => legs.lanesWithOpenKeys(r),
    lowestIncluded: (r) => deposits.lowestIncluded(r, 1),
  };

  it('is among these', () => {
    const refuse = () => Promise.reject(new Error('nothing is read'));
    const named = storeReads({ read: refuse, readTogether: refuse, readSearch: refuse, hidden: () => [] });
    // Searches are in search-plans.test.ts.
    expect(Object.keys(reads).sort()).toEqual(
      Object.keys(named)
        .filter((name) => name !== 'search')
        .sort(),
    );
  });

  describe.each(['without statistics', 'with statistics of a million rows'])('%s', (when) => {
    beforeAll(async () => {
      if (when === 'without statistics') return;
      const database = await openDatabase(harness.file, READ_WRITE);
      const connection = connectionOf(database);
      await millionRows((sql, bindings) => connection.all(sql, bindings as string[]));
      await closeDatabase(database);
      // Statistics are loaded per connection.
      await reader.destroy();
      reader = readerPool(harness.file, log);
    });

    for (const [name, read] of Object.entries({ ...reads, ...extra })) {
      it(`${name} is answered by an index`, async () => {
        expect(await growing(all, await plansOf(read))).toEqual([]);
      });
    }

    for (const name of LIMITED) {
      it(`${name} is limited before it is sorted`, async () => {
        expect(sorts(await plansOf(reads[name]!))).toEqual([]);
      });
    }
  });
});
