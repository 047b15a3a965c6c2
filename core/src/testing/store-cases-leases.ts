import assert from 'node:assert/strict';
import type { Change, Lease, Store } from '../contract/store.js';
import { applied, range, refused } from './store-asserts.js';
import { rivals, type StoreCase } from './store-case.js';
import { changeSet, insert, metaRow } from './store-fixtures.js';

const LONG_TTL_MS = 60_000;
const SHORT_TTL_MS = 30;

const fence = ({ scope, token }: Lease): Change => ({ op: 'fence', scope, token });

async function claim(store: Store, owner: string, ttlMs = LONG_TTL_MS, scope = 'lane:1:a'): Promise<Lease> {
  const [lease] = await store.claimLeases([scope], owner, ttlMs);
  assert.ok(lease, `${owner} holds ${scope}`);
  return lease;
}

/** Retries until the lease expires by the store's clock. */
async function takeOver(store: Store, owner: string, scope = 'lane:1:a'): Promise<Lease> {
  for (let waited = 0; waited < 5_000; waited += 5) {
    const [lease] = await store.claimLeases([scope], owner, LONG_TTL_MS);
    if (lease) return lease;
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
  throw new assert.AssertionError({ message: 'a lease never ran out' });
}

export const leaseCases: readonly StoreCase[] = [
  {
    name: 'gives a lease to one owner, and prolongs it without another token',
    run: async (harness) => {
      const [store, other] = await rivals(harness);
      const lease = await claim(store, 'one');
      assert.deepEqual(await other.claimLeases(['lane:1:a'], 'two', LONG_TTL_MS), []);
      assert.deepEqual(await claim(store, 'one'), lease);
      assert.deepEqual(await store.claimLeases([], 'one', LONG_TTL_MS), []);
    },
  },
  {
    name: 'claims what is free of several leases, and leaves out the rest',
    run: async ({ store }) => {
      await claim(store, 'one', LONG_TTL_MS, 'chain:1');
      const scopes = (leases: readonly Lease[]) => leases.map(({ scope }) => scope).sort();
      assert.deepEqual(scopes(await store.claimLeases(['chain:1', 'chain:2', 'service'], 'two', LONG_TTL_MS)), [
        'chain:2',
        'service',
      ]);
      assert.deepEqual(scopes(await store.claimLeases(['service', 'chain:1'], 'one', LONG_TTL_MS)), ['chain:1']);
    },
  },
  {
    name: 'gives a greater token when a lease ran out or was released',
    run: async ({ store }) => {
      const first = await claim(store, 'one', SHORT_TTL_MS);
      const second = await takeOver(store, 'two');
      assert.ok(second.token > first.token);
      await store.releaseLeases([second], 'two');
      const third = await claim(store, 'two');
      assert.ok(third.token > second.token);
    },
  },
  {
    name: 'keeps a lease that its former holder abandons too late',
    run: async ({ store }) => {
      const first = await claim(store, 'one', SHORT_TTL_MS);
      await takeOver(store, 'two');
      await store.releaseLeases([first], 'one');
      assert.deepEqual(await store.claimLeases(['lane:1:a'], 'one', LONG_TTL_MS), []);
    },
  },
  {
    name: 'writes what a holder fences, also past its time while no one took over',
    run: async ({ store }) => {
      const lease = await claim(store, 'one', 1);
      await applied(store, fence(lease), insert('meta', metaRow(1)));
      await new Promise((resolve) => setTimeout(resolve, 10));
      await applied(store, insert('meta', metaRow(2)), fence(lease));
      assert.ok(await store.meta(metaRow(2).key));
    },
  },
  {
    name: 'fences off the late write of a holder that was replaced, whole',
    run: async ({ store }) => {
      const first = await claim(store, 'one', SHORT_TTL_MS);
      const second = await takeOver(store, 'two');
      await refused(store, 'fenced', 'leases', insert('meta', metaRow(1)), fence(first));
      assert.equal(await store.meta(metaRow(1).key), undefined);
      await applied(store, fence(second), insert('meta', metaRow(1)));
    },
  },
  {
    name: 'fences off a write under a lease that was released or never claimed',
    run: async ({ store }) => {
      const lease = await claim(store, 'one');
      await store.releaseLeases([lease], 'one');
      await refused(store, 'fenced', 'leases', fence(lease), insert('meta', metaRow(1)));
      await claim(store, 'one');
      await refused(store, 'fenced', 'leases', fence(lease), insert('meta', metaRow(1)));
      await refused(store, 'fenced', 'leases', fence({ scope: 'nobody', token: 1 }));
    },
  },
  {
    name: 'prolongs a lease that would have run out, and gives each claim the time it asked for',
    run: async ({ store }) => {
      const lease = await claim(store, 'one', SHORT_TTL_MS);
      assert.deepEqual(await claim(store, 'one', LONG_TTL_MS), lease);
      await new Promise((resolve) => setTimeout(resolve, 2 * SHORT_TTL_MS));
      assert.deepEqual(await store.claimLeases([lease.scope], 'two', LONG_TTL_MS), []);
      assert.deepEqual(await claim(store, 'one', SHORT_TTL_MS), lease);
      assert.ok((await takeOver(store, 'two')).token > lease.token);
    },
  },
  {
    name: 'gives up only what this owner has with that token',
    run: async ({ store }) => {
      const lease = await claim(store, 'one');
      await store.releaseLeases([lease], 'two');
      await store.releaseLeases([{ ...lease, token: lease.token + 1 }], 'one');
      await store.releaseLeases([], 'one');
      assert.deepEqual(await store.claimLeases([lease.scope], 'two', LONG_TTL_MS), []);
      await applied(store, fence(lease), insert('meta', metaRow(1)));
    },
  },
  {
    name: 'lets exactly one of many owners have a lease',
    run: async (harness) => {
      const stores = await rivals(harness);
      for (const scopes of [['service'], ['chain:2', 'chain:1', 'service'], ['chain:1', 'service', 'chain:2']]) {
        const race = (n: number) => (stores[n % 2] as Store).claimLeases(scopes, `owner-${n}`, LONG_TTL_MS);
        const claims = await Promise.all(range(20).map(race));
        const owners = claims.filter((leases) => leases.length > 0);
        const fresh = scopes.filter((scope) => owners.some((leases) => leases.some((lease) => lease.scope === scope)));
        assert.equal(owners.flat().length, fresh.length, 'a lease has two owners');
      }
      const all = await Promise.all(
        ['service', 'chain:1', 'chain:2'].map((scope) => stores[0].claimLeases([scope], 'late', LONG_TTL_MS)),
      );
      assert.deepEqual(all.flat(), []);
    },
  },
  {
    name: 'frees no lease token for a second use over a restart',
    run: async (harness) => {
      const lease = await claim(harness.store, 'one', SHORT_TTL_MS);
      const again = await harness.reopen();
      const next = await takeOver(again, 'two');
      assert.ok(next.token > lease.token);
    },
  },
  {
    name: 'takes over between two stores, and fences off everything that the former holder does afterwards',
    run: async (harness) => {
      const [one, two] = await rivals(harness);
      const first = await claim(one, 'one', SHORT_TTL_MS);
      let stop = false;
      const outcomes: { readonly begunAfter: boolean; readonly ok: boolean }[] = [];
      let taken = false;
      const working = (async () => {
        while (!stop) {
          const begunAfter = taken;
          const { ok } = await one.apply(changeSet(fence(first), { op: 'count', account: '#by-one', by: 1n }));
          outcomes.push({ begunAfter, ok });
          // An in-memory store never yields to the event loop.
          await new Promise((resolve) => setImmediate(resolve));
        }
      })();
      let seen = 0n;
      try {
        const second = await takeOver(two, 'two');
        taken = true;
        seen = await two.pot('#by-one');
        await applied(two, fence(second), { op: 'count', account: '#by-two', by: 1n });
        await new Promise((resolve) => setTimeout(resolve, 10));
      } finally {
        stop = true;
        await Promise.allSettled([working]);
      }
      await working;
      const written = outcomes.filter(({ ok }) => ok).length;
      assert.ok(
        outcomes.some(({ ok }) => !ok),
        'the former holder went on to the end',
      );
      assert.deepEqual(
        outcomes.filter(({ begunAfter, ok }) => begunAfter && ok),
        [],
      );
      assert.equal(await two.pot('#by-one'), BigInt(written));
      assert.equal(seen, BigInt(written), 'a write of the former holder became visible after the take-over');
    },
  },
];
