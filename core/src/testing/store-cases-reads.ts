import assert from 'node:assert/strict';
import type { Tables } from '../contract/store-rows.js';
import type { RequestStatus } from '../domain/transitions.js';
import { applied, ids, range } from './store-asserts.js';
import type { StoreCase } from './store-case.js';
import * as rows from './store-fixtures.js';

const { insert, T0 } = rows;
const BEGINNING = { seenAt: 0, fundingKey: '' };
const keysOf = (deposits: readonly { readonly fundingKey: string }[]) => deposits.map((deposit) => deposit.fundingKey);

export const readCases: readonly StoreCase[] = [
  {
    name: 'answers nothing for what does not exist',
    async run({ store }) {
      assert.equal(await store.quote(rows.requestId(1)), undefined);
      assert.equal(await store.request(rows.requestId(1)), undefined);
      assert.equal(await store.lane(1, 'x'), undefined);
      assert.equal(await store.cursor(1), undefined);
      assert.equal(await store.apiKeyByHash('x'), undefined);
      assert.equal(await store.apiKey('x'), undefined);
      assert.equal(await store.integrator('x'), undefined);
      assert.equal(await store.meta('x'), undefined);
      assert.equal(await store.feeClaim(rows.hash(1)), undefined);
      assert.equal(await store.idempotencyKey('x'), undefined);
      assert.equal(await store.sponsorPolicy('x'), undefined);
      for (const none of [
        store.quotesByOrder([]),
        store.tombstonesByOrder([rows.orderId(1)]),
        store.ordersByPrefix([]),
        store.ordersByPrefix([rows.orderId(1)]),
        store.requests([]),
        store.requestsByOrder([rows.orderId(1)]),
        store.views([rows.requestId(1)]),
        store.statuses([rows.requestId(1)]),
        store.statuses([]),
        store.clientMetadata([rows.requestId(1)]),
        store.unsettled(5),
        store.stuck(T0, [{ chainId: 1, signer: 'x' }], 5),
        store.recentFills(0, 5),
        store.deposits([]),
        store.depositsAbove(1, 0),
        store.depositsToFinalise(1, 10, 5),
        store.unconfirmed(1, 5),
        store.undecided(1, 5),
        store.undecidedAt(1, 5),
        store.collectable(1, 5),
        store.depositsOfCollect('x'),
        store.depositsAt(1, []),
        store.depositsAt(1, ['x']),
        store.unswept(1, BEGINNING, 5),
        store.addresses([]),
        store.addresses(['1:x']),
        store.addressesOf([rows.requestId(1)]),
        store.addressesAfter(1, 0, 5),
        store.nonceMappings([]),
        store.nonceMappings(['1:x:0']),
        store.executions([]),
        store.executionsOf([rows.requestId(1)]),
        store.executionsAbove(1, 0),
        store.executionsToFinalise(1, 10, 5),
        store.hintsAfter({ createdAt: 0, id: '' }, 5),
        store.legs([]),
        store.legsOfRequests([]),
        store.legsOfDeposits(['x']),
        store.claimDue(1, 'x', T0, 5),
        store.openKeys(1, 'x', 5),
        store.keysOfLegs(['x']),
        store.attemptsByHash(1, ['x']),
        store.lanes(),
        store.pots(''),
        store.events(0, 5),
        store.requestsOfKey('x', { updatedAt: 0, id: '' }, 5),
        store.endpoints(),
        store.deliveriesOf('x', { limit: 5 }),
        store.deliveriesAgain(['x'], 5),
        store.deliveries([]),
        store.openDeliveries([rows.requestId(1)]),
        store.dueDeliveries(['x'], T0, 5),
        store.firstDue(['x']),
        store.backlog(),
        store.undescribed(5),
        store.apiKeys(),
        store.apiKeysOf('x'),
        store.integrators(),
        store.pauses(),
        store.holds('open'),
        store.holdsOfTransaction('x', 5),
        store.feeClaims(['x'], 5),
        store.sponsorships([rows.requestId(1)]),
        store.openSponsorships({ createdAt: 0, id: '' }, 5),
        store.balanceEvents('x', {}, 5),
        store.postings(0, Number.MAX_SAFE_INTEGER, 5),
      ]) {
        assert.deepEqual(await none, []);
      }
      assert.equal(await store.waiting(1, 'x', 5), 0);
      await store.ping();
    },
  },
  {
    name: 'reads many rows by key at once',
    async run({ store }) {
      const many = range(1_500);
      await applied(store, ...many.map((n) => insert('quotes', rows.quoteRow(n))));
      await applied(store, ...many.map((n) => insert('legs', rows.legRow(n))));
      const asked = [...many, ...many, 9_999];
      assert.equal((await store.quotesByOrder(asked.map(rows.orderId))).length, 1_500);
      assert.equal((await store.legs(asked.map((n) => rows.legRow(n).id))).length, 1_500);
    },
  },
  {
    name: 'keeps what a client said first of a request, over a restart',
    async run({ store, reopen }) {
      const first = rows.clientMetadataRow(1, { metadata: JSON.stringify({ note: 'é \u0000 "x"', n: 1e21 }) });
      const row = (n: number) => rows.clientMetadataRow(n);
      await applied(store, insert('clientMetadata', first), insert('clientMetadata', row(2)));
      const again = { name: 'test', changes: [{ op: 'insert', table: 'clientMetadata', row: row(1) }] } as const;
      assert.deepEqual(await store.apply(again), {
        ok: false,
        conflict: { kind: 'duplicate', table: 'clientMetadata', key: row(1).requestId },
      });
      const [change] = again.changes;
      assert.deepEqual(await store.apply({ ...again, changes: [{ ...change, ifAbsent: true }] }), { ok: true });
      const read = async (from: typeof store) => {
        const found = await from.clientMetadata([2, 1, 9, 1].map(rows.requestId));
        return [...found].sort((a, b) => (a.requestId < b.requestId ? -1 : 1));
      };
      assert.deepEqual(await read(store), [first, row(2)]);
      assert.deepEqual(await read(await reopen()), [first, row(2)]);
    },
  },
  {
    name: 'reports how long the newest fills took, newest first',
    async run({ store }) {
      const took = async (n: number, ms: number, request: Parameters<typeof rows.requestRow>[1] = {}) => {
        const { fundingKey, seenAt } = rows.depositRow(n);
        await applied(
          store,
          insert('requests', rows.requestRow(n, { status: 'success', fundingKey, ...request })),
          insert('deposits', rows.depositRow(n)),
          insert('legs', rows.legRow(n, { state: 'done', includedAt: seenAt + ms })),
        );
      };
      await took(1, 1_000);
      await took(2, 2_000, { originChainId: 902, destinationChainId: 901 });
      await took(3, 3_000);
      await took(4, 4_000, { status: 'refund' });
      await applied(store, insert('legs', rows.legRow(3, { id: 'excess', kind: 'excess', includedAt: T0 })));
      const there = { originChainId: 901, destinationChainId: 902 };
      const back = { originChainId: 902, destinationChainId: 901 };
      const all = [
        { ...there, ms: 3_000 },
        { ...back, ms: 2_000 },
        { ...there, ms: 1_000 },
      ];
      assert.deepEqual(await store.recentFills(0, 5), all);
      assert.deepEqual(await store.recentFills(0, 2), all.slice(0, 2));
      assert.deepEqual(await store.recentFills(T0 + 2, 5), all.slice(0, 2));
    },
  },
  {
    name: 'finds requests that nothing works on',
    async run({ store }) {
      const lanes = [{ chainId: 901, signer: 'here' }];
      const leg = (n: number, overrides: Partial<Tables['legs']>) =>
        insert('legs', rows.legRow(n, { chainId: 901, signer: 'here', fundingKey: `d${n}`, ...overrides }));
      const deposit = (n: number, overrides: Partial<Tables['deposits']>) =>
        insert('deposits', rows.depositRow(n, { fundingKey: `d${n}`, decision: 'refund', ...overrides }));
      const request = (n: number, status: RequestStatus) => insert('requests', rows.requestRow(n, { status }));
      await applied(
        store,
        ...[request(1, 'pending'), deposit(1, { decision: 'waiting', state: 'included' })],
        ...[request(2, 'pending'), deposit(2, { decision: 'waiting', state: 'vanished' })],
        ...[request(3, 'pending'), deposit(3, { state: 'final' }), leg(3, { state: 'owed' })],
        ...[request(4, 'pending'), deposit(4, { state: 'final' }), leg(4, { state: 'owed', signer: 'gone' })],
        ...[request(5, 'pending'), deposit(5, { state: 'included' }), leg(5, { state: 'blocked' })],
        ...[request(6, 'pending'), deposit(6, { state: 'final' }), leg(6, { state: 'blocked' })],
        ...[request(7, 'failure'), deposit(7, { state: 'final' }), leg(7, { state: 'held' })],
        ...[request(8, 'failure'), deposit(8, { state: 'final' }), leg(8, { state: 'blocked' })],
        ...[request(9, 'success'), deposit(9, { state: 'final' }), leg(9, { state: 'bound' })],
        ...[request(10, 'refund'), deposit(10, { state: 'final' }), leg(10, { state: 'short', chainId: 902 })],
        request(11, 'pending'),
      );
      const stuck = [2, 4, 6, 8, 10, 11].map(rows.requestId);
      assert.deepEqual(await store.stuck(T0 + 100, lanes, 100), stuck);
      assert.deepEqual(await store.stuck(T0 + 100, lanes, 3), stuck.slice(0, 3));
      assert.deepEqual(await store.stuck(T0 + 5, lanes, 100), stuck.slice(0, 2));
      assert.deepEqual(await store.stuck(T0 + 100, [], 100), [2, 3, 4, 5, 6, 8, 9, 10, 11].map(rows.requestId));
    },
  },
  {
    name: 'walks through unsettled requests, oldest first',
    async run({ store }) {
      const statuses: RequestStatus[] = [
        'waiting',
        'success',
        'depositing',
        'pending',
        'refund',
        'submitted',
        'failure',
      ];
      const found = statuses.map((status, at) =>
        rows.requestRow(at + 1, { status, createdAt: T0 - Math.floor(at / 2), fundingKey: rows.fundingKey(at + 1) }),
      );
      const unpaid = rows.requestRow(9, { status: 'waiting', createdAt: T0 - 9 });
      await applied(store, ...[unpaid, ...found].map((row) => insert('requests', row)));
      const open = [6, 3, 4, 1].map(rows.requestId);
      assert.deepEqual(ids(await store.unsettled(10)), open);
      const first = await store.unsettled(2);
      assert.deepEqual(ids(first), open.slice(0, 2));
      assert.deepEqual(ids(await store.unsettled(2, open[1])), open.slice(2));
      assert.deepEqual(await store.unsettled(2, open[3]), []);
    },
  },
  {
    name: 'finds deposits by state and height',
    async run({ store }) {
      await applied(
        store,
        ...[5, 4, 3, 2, 1].map((n) => insert('deposits', rows.depositRow(n))),
        insert('deposits', rows.depositRow(6, { state: 'final' })),
        insert('deposits', rows.depositRow(7, { state: 'vanished', height: null })),
        insert('deposits', rows.depositRow(8, { chainId: 902 })),
      );
      assert.deepEqual(keysOf(await store.depositsAbove(901, 103)), [4, 5].map(rows.fundingKey));
      assert.deepEqual(keysOf(await store.depositsToFinalise(901, 103, 10)), [1, 2, 3].map(rows.fundingKey));
      assert.deepEqual(keysOf(await store.depositsToFinalise(901, 103, 2)), [1, 2].map(rows.fundingKey));
    },
  },
  {
    name: 'finds deposits that wait for a block, oldest first',
    async run({ store }) {
      const waits = { state: 'mempool', height: null } as const;
      await applied(
        store,
        insert('deposits', rows.depositRow(3, waits)),
        insert('deposits', rows.depositRow(2, { ...waits, rivalHeight: 102, rivalBlockId: 'b' })),
        insert('deposits', rows.depositRow(4)),
        insert('deposits', rows.depositRow(5, { state: 'vanished', height: null })),
        insert('deposits', rows.depositRow(1, { ...waits, chainId: 902 })),
      );
      assert.deepEqual(keysOf(await store.unconfirmed(901, 10)), [2, 3].map(rows.fundingKey));
      assert.deepEqual(keysOf(await store.unconfirmed(901, 1)), [rows.fundingKey(2)]);
    },
  },
  {
    name: 'finds deposits to decide, oldest first',
    async run({ store }) {
      await applied(
        store,
        insert('deposits', rows.depositRow(3)),
        insert('deposits', rows.depositRow(2, { state: 'final' })),
        insert('deposits', rows.depositRow(4, { state: 'mempool', height: null })),
        insert('deposits', rows.depositRow(5, { state: 'vanished' })),
        insert('deposits', rows.depositRow(6, { decision: 'refund' })),
        insert('deposits', rows.depositRow(1, { chainId: 902 })),
      );
      assert.deepEqual(keysOf(await store.undecided(901, 10)), [2, 3].map(rows.fundingKey));
      assert.deepEqual(keysOf(await store.undecided(901, 1)), [rows.fundingKey(2)]);
    },
  },
  {
    name: 'finds deposits to collect, and those of a collect',
    async run({ store }) {
      const final = { state: 'final', decision: 'fill' } as const;
      await applied(
        store,
        insert('deposits', rows.depositRow(3, { ...final, collectable: 2n ** 200n })),
        insert('deposits', rows.depositRow(2, { ...final, collectable: 1n })),
        insert('deposits', rows.depositRow(4, { ...final, collectable: 0n })),
        insert('deposits', rows.depositRow(5, final)),
        insert('deposits', rows.depositRow(9, { ...final, collectable: -3n })),
        insert('deposits', rows.depositRow(6, { decision: 'fill', collectable: 5n })),
        insert('deposits', rows.depositRow(7, { ...final, collectable: 5n, collectLegId: 'collect:1' })),
        insert('deposits', rows.depositRow(8, { ...final, collectable: 5n, chainId: 902 })),
      );
      assert.deepEqual(keysOf(await store.collectable(901, 10)), [2, 3].map(rows.fundingKey));
      assert.deepEqual(keysOf(await store.collectable(901, 1)), [rows.fundingKey(2)]);
      assert.deepEqual(keysOf(await store.depositsOfCollect('collect:1')), [rows.fundingKey(7)]);
    },
  },
  {
    name: 'finds legs by request, by deposit and by what is due',
    async run({ store }) {
      await applied(
        store,
        insert('legs', rows.legRow(3)),
        insert('legs', rows.legRow(2, { state: 'short', dueAt: T0 + 10 })),
        insert('legs', rows.legRow(1, { dueAt: T0 + 11 })),
        insert('legs', rows.legRow(4, { state: 'blocked' })),
        insert('legs', rows.legRow(5, { state: 'bound', key: '1' })),
        insert('legs', rows.legRow(6, { signer: 'other' })),
        insert('legs', rows.legRow(7, { chainId: 901 })),
      );
      const id = (n: number) => rows.legRow(n).id;
      assert.deepEqual(ids(await store.claimDue(902, 'filler', T0 + 10, 10)), [2, 3].map(id));
      assert.deepEqual(ids(await store.claimDue(902, 'filler', T0 + 10, 1)), [id(2)]);
      assert.deepEqual(ids(await store.claimDue(902, 'filler', T0 - 1, 10)), []);
      assert.equal(await store.waiting(902, 'filler', 10), 3);
      assert.equal(await store.waiting(902, 'filler', 2), 2);
      assert.deepEqual(ids(await store.legsOfRequests([rows.requestId(5), rows.requestId(4)])), [4, 5].map(id));
      assert.deepEqual(ids(await store.legsOfDeposits([rows.fundingKey(1)])), [id(1)]);
    },
  },
  {
    name: 'finds open keys of a lane with all their attempts and legs, oldest first',
    async run({ store }) {
      await applied(
        store,
        ...[10, 9, 8].map((n) => insert('keys', rows.keyRow(n))),
        insert('keys', rows.keyRow(7, { state: 'spent' })),
        insert('keys', rows.keyRow(6, { id: '902:other', signer: 'other' })),
        ...[1, 2].map((n) => insert('legs', rows.legRow(n))),
        insert('attempts', rows.attemptRow(9, { id: '902:9#2', n: 2, hash: '0xsecond' })),
        insert('attempts', rows.attemptRow(9)),
        insert('attemptLegs', { attemptId: '902:9#1', legId: rows.legRow(1).id }),
        insert('attemptLegs', { attemptId: '902:9#1', legId: rows.legRow(2).id }),
        insert('attemptLegs', { attemptId: '902:9#2', legId: rows.legRow(2).id }),
      );
      const open = await store.openKeys(902, 'filler', 10);
      assert.deepEqual(
        open.map((entry) => entry.key.key),
        ['8', '9', '10'],
      );
      assert.deepEqual(
        open[1]?.attempts.map((attempt) => [attempt.n, attempt.legIds]),
        [
          [1, [1, 2].map((n) => rows.legRow(n).id)],
          [2, [rows.legRow(2).id]],
        ],
      );
      assert.deepEqual(ids(open[1]?.legs ?? []).sort(), [1, 2].map((n) => rows.legRow(n).id).sort());
      assert.deepEqual([open[0]?.attempts, open[0]?.legs], [[], []]);
      assert.equal((await store.openKeys(902, 'filler', 2)).length, 2);
      const [first, second] = [rows.legRow(1).id, rows.legRow(2).id];
      assert.deepEqual(await store.keysOfLegs([second, 'none', second]), [open[1]]);
      assert.deepEqual(await store.keysOfLegs([first, second]), [open[1]]);
      assert.deepEqual(await store.keysOfLegs([]), []);
      const { hash } = rows.attemptRow(9);
      const signed = await store.attemptsByHash(902, [hash, '0xsecond', hash, '0xother']);
      assert.deepEqual(ids(signed).sort(), ['902:9#1', '902:9#2']);
      assert.deepEqual(await store.attemptsByHash(901, [hash]), []);
    },
  },
  {
    name: 'finds transactions to describe until they are described',
    async run({ store }) {
      await applied(store, ...[3, 1, 2].map((n) => insert('transactions', rows.transactionRow(n))));
      const id = (n: number) => rows.transactionRow(n).id;
      assert.deepEqual(ids(await store.undescribed(2)), [id(3), id(1)]);
      await applied(store, {
        op: 'update',
        table: 'transactions',
        key: { id: id(3) },
        version: 1,
        set: { entry: '{}' },
      });
      assert.deepEqual(ids(await store.undescribed(5)), [id(1), id(2)]);
    },
  },
  {
    name: 'finds a hold by its name, and those of one transaction, open ones first and the oldest of them',
    async run({ store }) {
      const { transactionHash } = rows.holdRow(1);
      const row = (n: number, state: 'open' | 'released' = 'open') => rows.holdRow(n, { transactionHash, state });
      await applied(store, ...[row(1, 'released'), row(3), row(2)].map((one) => insert('holds', one)));
      await applied(store, insert('holds', rows.holdRow(4)));
      assert.deepEqual(await store.hold('hold-4'), rows.holdRow(4));
      assert.equal(await store.hold('hold-5'), undefined);
      assert.deepEqual(ids(await store.holdsOfTransaction(transactionHash, 9)), ['hold-2', 'hold-3', 'hold-1']);
      assert.deepEqual(ids(await store.holdsOfTransaction(transactionHash, 1)), ['hold-2']);
      await applied(store, {
        op: 'update',
        table: 'holds',
        key: { id: 'hold-2' },
        version: 1,
        set: { state: 'released' },
      });
      assert.deepEqual(ids(await store.holdsOfTransaction(transactionHash, 9)), ['hold-3', 'hold-1', 'hold-2']);
    },
  },
  {
    name: 'finds API keys, integrators, pauses, holds and lanes',
    async run({ store }) {
      await applied(
        store,
        insert('apiKeys', rows.apiKeyRow(2, { revokedAt: T0 })),
        insert('apiKeys', rows.apiKeyRow(1)),
        insert('apiKeys', rows.apiKeyRow(3, { integratorId: 'integrator-1' })),
        insert('integrators', rows.integratorRow(2)),
        insert('integrators', rows.integratorRow(1)),
        insert('pauses', rows.pauseRow(1, { paused: false })),
        insert('holds', rows.holdRow(2)),
        insert('holds', rows.holdRow(1)),
        insert('holds', rows.holdRow(3, { state: 'released' })),
        insert('lanes', rows.laneRow(2)),
        insert('lanes', rows.laneRow(1)),
      );
      assert.deepEqual(await store.apiKeyByHash('hash-2'), rows.apiKeyRow(2, { revokedAt: T0 }));
      assert.deepEqual(ids(await store.apiKeys()), ['key-1', 'key-2', 'key-3']);
      assert.deepEqual(await store.apiKey('key-1'), rows.apiKeyRow(1));
      assert.deepEqual(ids(await store.apiKeysOf('integrator')), ['key-1', 'key-2']);
      assert.deepEqual(ids(await store.apiKeysOf('integrator-1')), ['key-3']);
      assert.deepEqual(await store.integrator('integrator-2'), rows.integratorRow(2));
      assert.deepEqual(ids(await store.integrators()), ['integrator-1', 'integrator-2']);
      assert.equal((await store.pauses())[0]?.paused, false);
      assert.deepEqual(ids(await store.holds('open')), ['hold-1', 'hold-2']);
      assert.deepEqual(ids(await store.holds('released')), ['hold-3']);
      assert.deepEqual(ids(await store.lanes()), [rows.laneRow(1).id, rows.laneRow(2).id]);
    },
  },
];
