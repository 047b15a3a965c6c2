import assert from 'node:assert/strict';
import type { ApplyOutcome, Change, Store } from '../contract/store.js';
import { applied, range } from './store-asserts.js';
import { rivals, type StoreCase, type StoreHarness } from './store-case.js';
import * as rows from './store-fixtures.js';

const { changeSet, insert } = rows;

type Kind = Extract<ApplyOutcome, { ok: false }>['conflict']['kind'];

/** Submits all sets at once, alternating between stores, and returns each result. */
async function race(stores: readonly Store[], sets: readonly (readonly Change[])[]): Promise<('ok' | Kind)[]> {
  const outcomes = await Promise.all(
    sets.map((changes, at) => (stores[at % stores.length] as Store).apply(changeSet(...changes))),
  );
  return outcomes.map((outcome) => (outcome.ok ? 'ok' : outcome.conflict.kind));
}

function count(outcomes: readonly string[], outcome: 'ok' | Kind): number {
  return outcomes.filter((one) => one === outcome).length;
}

const RACERS = range(24);
const lane = (n: number) => ({ id: rows.laneRow(n).id });
const advance = (n: number, version: number, position = 'x'): Change => ({
  op: 'update',
  table: 'lanes',
  key: lane(n),
  version,
  set: { position },
});
const need = (n: number, version: number): Change => ({ op: 'require', table: 'lanes', key: lane(n), version });
/** Only the winner's set may leave this mark. */
const mark: Change = { op: 'count', account: '#won', by: 1n };

/** Racers claim the same key in rows that otherwise differ. */
const CLAIMS: readonly (readonly [key: string, claim: (n: number) => Change])[] = [
  ['a primary key', (n) => insert('legs', rows.legRow(1, { amount: BigInt(n) }))],
  ['the order of a quote', (n) => insert('quotes', rows.quoteRow(n, { orderId: rows.orderId(1) }))],
  ['the parent of an order', (n) => insert('requests', rows.requestRow(n, { orderId: rows.orderId(1) }))],
  ['a funding key', (n) => insert('deposits', rows.depositRow(1, { seenAt: n }))],
  ['the sequence of an event', (n) => insert('events', rows.eventRow(1, { id: `event-${n}` }))],
  ['a single-use key', (n) => insert('keys', rows.keyRow(1, { signer: `s${n}` }))],
  ['a funding address', (n) => insert('integrators', rows.integratorRow(n, { fundingAddress: '0xa' }))],
  ['the hash of an API key', (n) => insert('apiKeys', rows.apiKeyRow(n, { hash: 'same' }))],
];

const uniqueCases: readonly StoreCase[] = CLAIMS.map(([key, claim]) => ({
  name: `lets exactly one of many concurrent change sets claim ${key}`,
  async run(harness: StoreHarness) {
    const outcomes = await race(
      await rivals(harness),
      RACERS.map((n) => [mark, claim(n)]),
    );
    assert.deepEqual([count(outcomes, 'ok'), count(outcomes, 'duplicate')], [1, RACERS.length - 1]);
    assert.equal(await harness.store.pot('#won'), 1n);
  },
}));

export const raceCases: readonly StoreCase[] = [
  ...uniqueCases,
  {
    name: 'lets exactly one of many concurrent change sets claim the hash of an attempt',
    async run(harness) {
      const stores = await rivals(harness);
      await applied(harness.store, ...RACERS.map((n) => insert('keys', rows.keyRow(n))));
      const outcomes = await race(
        stores,
        RACERS.map((n) => [mark, insert('attempts', rows.attemptRow(n, { hash: '0xsame' }))]),
      );
      assert.deepEqual([count(outcomes, 'ok'), count(outcomes, 'duplicate')], [1, RACERS.length - 1]);
      assert.equal(await harness.store.pot('#won'), 1n);
    },
  },
  {
    name: 'keeps the first of many rows that are inserted where absent, and refuses no writer',
    async run(harness) {
      const outcomes = await race(
        await rivals(harness),
        RACERS.map((n) => [mark, insert('holds', rows.holdRow(1, { amount: BigInt(n) }), true)]),
      );
      assert.equal(count(outcomes, 'ok'), RACERS.length);
      assert.equal((await harness.store.holds('open')).length, 1);
      assert.equal(await harness.store.pot('#won'), BigInt(RACERS.length));
    },
  },
  {
    name: 'lets exactly one of many concurrent change sets update each version of a row',
    async run(harness) {
      const stores = await rivals(harness);
      await applied(harness.store, insert('lanes', rows.laneRow(1)));
      for (const version of range(4)) {
        const outcomes = await race(
          stores,
          RACERS.map((n) => [mark, advance(1, version, `${version}/${n}`)]),
        );
        assert.deepEqual([count(outcomes, 'ok'), count(outcomes, 'version')], [1, RACERS.length - 1]);
        const stored = await stores[1].lane(902, 'filler1');
        assert.equal(stored?.position, `${version}/${RACERS[outcomes.indexOf('ok')]}`);
      }
      assert.equal(await harness.store.pot('#won'), 4n);
    },
  },
  {
    name: 'lets one of two sets win that each require what the other changes',
    async run(harness) {
      const stores = await rivals(harness);
      for (const n of range(15)) {
        const [left, right] = [n * 2, n * 2 + 1];
        await applied(harness.store, insert('lanes', rows.laneRow(left)), insert('lanes', rows.laneRow(right)));
        const outcomes = await race(stores, [
          [need(left, 1), advance(right, 1)],
          [need(right, 1), advance(left, 1)],
        ]);
        assert.deepEqual([...outcomes].sort(), ['ok', 'version'], `pair ${n}`);
      }
    },
  },
  {
    name: 'takes sets that name the same rows in other orders',
    async run(harness) {
      const stores = await rivals(harness);
      const many = range(6);
      await applied(harness.store, ...many.map((n) => insert('lanes', rows.laneRow(n))));
      for (const version of range(5)) {
        const forth = many.map((n) => advance(n, version));
        const outcomes = await race(stores, [forth, [...forth].reverse(), forth, [...forth].reverse()]);
        assert.deepEqual([...outcomes].sort(), ['ok', 'version', 'version', 'version']);
      }
      const counters = many.map((n): Change => ({ op: 'count', account: `#c${n}`, by: 1n }));
      const outcomes = await race(
        stores,
        RACERS.map((n) => (n % 2 === 0 ? counters : [...counters].reverse())),
      );
      assert.equal(count(outcomes, 'ok'), RACERS.length);
      for (const n of many) assert.equal(await stores[1].pot(`#c${n}`), BigInt(RACERS.length));
    },
  },
  {
    name: 'posts a group once when many writers post it concurrently',
    async run(harness) {
      const outcomes = await race(
        await rivals(harness),
        RACERS.map((n) => [mark, rows.move('fill:1', 'a', 'b', BigInt(n))]),
      );
      assert.deepEqual([count(outcomes, 'ok'), count(outcomes, 'duplicate')], [1, RACERS.length - 1]);
      const won = BigInt(RACERS[outcomes.indexOf('ok')] ?? 0);
      const { store } = harness;
      assert.deepEqual([await store.pot('#won'), await store.pot('a'), await store.pot('b')], [1n, -won, won]);
    },
  },
  {
    name: 'loses no amount of many groups that share their accounts',
    async run(harness) {
      const outcomes = await race(
        await rivals(harness),
        RACERS.map((n) => [
          n % 2 === 0 ? rows.move(`g${n}`, 'a', 'b', BigInt(n)) : rows.move(`g${n}`, 'b', 'a', BigInt(-n)),
        ]),
      );
      assert.equal(count(outcomes, 'ok'), RACERS.length);
      const sum = RACERS.reduce((total, n) => total + BigInt(n), 0n);
      assert.deepEqual([await harness.store.pot('a'), await harness.store.pot('b')], [-sum, sum]);
    },
  },
  {
    name: 'lets no more sets pass a bound than fit below it',
    async run(harness) {
      const stores = await rivals(harness);
      const outcomes = await race(
        stores,
        RACERS.map(() => [mark, { op: 'count', account: '#exposure', by: 10n, atMost: 75n }]),
      );
      assert.deepEqual([count(outcomes, 'ok'), count(outcomes, 'bound')], [7, RACERS.length - 7]);
      assert.deepEqual([await stores[1].pot('#exposure'), await stores[1].pot('#won')], [70n, 7n]);
      const back = await race(
        stores,
        RACERS.map(() => [{ op: 'count', account: '#exposure', by: -20n, atLeast: 0n }]),
      );
      assert.deepEqual([count(back, 'ok'), count(back, 'bound')], [3, RACERS.length - 3]);
      assert.equal(await stores[1].pot('#exposure'), 10n);
    },
  },
  {
    name: 'never reserves more than the pot holds while the pot is emptied',
    async run(harness) {
      const stores = await rivals(harness);
      await applied(harness.store, rows.move('top-up', 'outside', 'inventory', 100n));
      const atMostPot = { account: 'inventory', keep: 5n };
      const reserve: Change = { op: 'count', account: '#reserved', by: 10n, atMostPot };
      // Each spender asserts in the same set that reservations still fit.
      const spend = (n: number): Change[] => [
        rows.move(`spend${n}`, 'inventory', 'outside', 15n),
        { op: 'count', account: '#reserved', by: 0n, atMostPot },
      ];
      const outcomes = await race(
        stores,
        RACERS.map((n) => (n % 3 === 0 ? spend(n) : [reserve])),
      );
      const [reserved, inventory] = await Promise.all([stores[1].pot('#reserved'), stores[1].pot('inventory')]);
      assert.ok(reserved <= inventory - 5n, `${reserved} reserved of ${inventory}`);
      const spent = RACERS.filter((n, at) => n % 3 === 0 && outcomes[at] === 'ok').length;
      assert.equal(inventory, 100n - 15n * BigInt(spent));
      assert.equal(reserved, 10n * BigInt(count(outcomes, 'ok') - spent));
      assert.ok(inventory - 5n - reserved < 15n, 'something fitted and was refused');
    },
  },
  {
    name: 'reads what another store has committed',
    async run(harness) {
      const [writer, reader] = await rivals(harness);
      for (const n of range(25)) {
        await applied(writer, insert('requests', rows.requestRow(n)), insert('legs', rows.legRow(n)));
        assert.deepEqual(await reader.request(rows.requestId(n)), rows.requestRow(n));
        assert.deepEqual(await reader.legsOfRequests([rows.requestId(n)]), [rows.legRow(n)]);
      }
    },
  },
];
