import assert from 'node:assert/strict';
import type { Change, Lease, Store } from '../contract/store.js';
import { applied, range, refused } from './store-asserts.js';
import type { StoreCase, StoreHarness } from './store-case.js';
import * as rows from './store-fixtures.js';

const { changeSet, insert } = rows;

function life(n: number): Change[] {
  return [
    insert('requests', rows.requestRow(n)),
    insert('deposits', rows.depositRow(n)),
    insert('legs', rows.legRow(n)),
    insert('keys', rows.keyRow(n)),
    insert('attempts', rows.attemptRow(n)),
    insert('attemptLegs', rows.attemptLegRow(n)),
    insert('events', rows.eventRow(n)),
    rows.move(`fill:${n}`, 'inventory', 'user', BigInt(n)),
    { op: 'count', account: '#lives', by: 1n },
  ];
}

/** Whether all or none of a set's rows exist. */
async function whole(store: Store, n: number): Promise<boolean> {
  const [view] = await store.views([rows.requestId(n)]);
  const open = await store.openKeys(902, 'filler', 10_000);
  const key = open.find((entry) => entry.key.id === rows.keyRow(n).id);
  const found = [view, view?.deposits[0], view?.legs[0], key, key?.attempts[0], key?.attempts[0]?.legIds[0]];
  const there = found.filter((one) => one !== undefined).length;
  assert.ok(there === 0 || there === found.length, `${there} of ${found.length} parts of set ${n} are there`);
  return there > 0;
}

function end(harness: StoreHarness): Promise<Store> {
  return harness.crash?.() ?? harness.reopen();
}

export const crashCases: readonly StoreCase[] = [
  {
    name: 'has after a crash all of what it answered for, and of the rest each set whole or not at all',
    async run(harness) {
      const total = 60;
      const answered = new Set<number>();
      const given = range(total).map((n) =>
        harness.store.apply(changeSet(...life(n))).then(
          (outcome) => outcome.ok && answered.add(n),
          () => undefined,
        ),
      );
      await Promise.race(given);
      // More than one commit's worth, so that the crash hits a busy store.
      const late = range(total, total + 1).map((n) =>
        harness.store.apply(changeSet(...life(n))).catch(() => undefined),
      );
      const owed = [...answered];
      const store = await end(harness);
      const present: number[] = [];
      for (const n of range(2 * total)) if (await whole(store, n)) present.push(n);
      for (const n of owed) assert.ok(present.includes(n), `set ${n} was answered and is gone`);
      const sum = present.reduce((all, n) => all + BigInt(n), 0n);
      assert.deepEqual(
        [await store.pot('#lives'), await store.pot('inventory'), await store.pot('user')],
        [BigInt(present.length), -sum, sum],
      );
      assert.deepEqual(
        (await store.events(0, 1_000)).map((event) => event.id).sort(),
        present.map((n) => rows.eventRow(n).id).sort(),
      );
      for (const n of range(2 * total)) {
        if (present.includes(n)) await refused(store, 'duplicate', 'requests', ...life(n));
        else await applied(store, ...life(n));
      }
      assert.equal(await store.pot('#lives'), BigInt(2 * total));
      await Promise.all([...given, ...late]);
    },
  },
  {
    name: 'lets a commit whose answer was lost be found out by reading',
    async run(harness) {
      await applied(harness.store, insert('lanes', rows.laneRow(1)));
      const key = { id: rows.laneRow(1).id };
      const advance: Change = { op: 'update', table: 'lanes', key, version: 1, set: { position: '8' } };
      // The asking process has ended.
      const unheard = harness.store.apply(changeSet(advance, rows.move('g', 'a', 'b', 3n))).catch(() => undefined);
      const store = await end(harness);
      const [stored] = await store.lanes();
      const posted = await store.pot('b');
      assert.deepEqual([stored?.version, stored?.position, posted], posted === 0n ? [1, '7', 0n] : [2, '8', 3n]);
      const again = await store.apply(changeSet(advance, rows.move('g', 'a', 'b', 3n)));
      assert.equal(again.ok, posted === 0n);
      assert.equal(await store.pot('b'), 3n);
      await unheard;
    },
  },
  {
    name: 'gives no token twice over a crash',
    async run(harness) {
      const tokens: number[] = [];
      let store = harness.store;
      for (const owner of ['one', 'two', 'three']) {
        const [lease] = await claimSoon(store, owner);
        if (lease) tokens.push(lease.token);
        store = await end(harness);
      }
      assert.equal(tokens.length, 3);
      assert.ok(tokens.every((token, at) => at === 0 || token > (tokens[at - 1] ?? 0)));
      await refused(store, 'fenced', 'leases', { op: 'fence', scope: 'service', token: tokens[0] ?? 0 });
    },
  },
];

/** The dead holder's lease expires by the store's clock. */
async function claimSoon(store: Store, owner: string): Promise<readonly Lease[]> {
  for (let waited = 0; waited < 5_000; waited += 5) {
    const leases = await store.claimLeases(['service'], owner, 20);
    if (leases.length > 0) return leases;
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
  return [];
}
