import assert from 'node:assert/strict';
import type { Change, Lease, Store } from '../contract/store.js';
import { applied, range, refused } from './store-asserts.js';
import type { StoreCase } from './store-case.js';
import { changeSet, insert, metaRow, quoteRow, T0 } from './store-fixtures.js';

const LONG = 60_000;
const SHORT = 30;

const fence = ({ scope, token }: Lease): Change => ({ op: 'fence', scope, token });

async function claim(store: Store, owner: string, ttlMs = LONG, scope = 'lane:1:a'): Promise<Lease> {
  const [lease] = await store.claimLeases([scope], owner, ttlMs);
  assert.ok(lease, `${owner} holds ${scope}`);
  return lease;
}

/** Asks again until the store's own clock says that the lease ran out. */
async function takeOver(store: Store, owner: string, scope = 'lane:1:a'): Promise<Lease> {
  for (let waited = 0; waited < 5_000; waited += 5) {
    const [lease] = await store.claimLeases([scope], owner, LONG);
    if (lease) return lease;
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
  throw new assert.AssertionError({ message: 'a lease never ran out' });
}

export const leaseCases: readonly StoreCase[] = [
  {
    name: 'gives a lease to one owner, and prolongs it without another token',
    run: async ({ store }) => {
      const lease = await claim(store, 'one');
      assert.deepEqual(await store.claimLeases(['lane:1:a'], 'two', LONG), []);
      assert.deepEqual(await claim(store, 'one'), lease);
      assert.deepEqual(await store.claimLeases([], 'one', LONG), []);
    },
  },
  {
    name: 'claims what is free of several leases, and leaves out the rest',
    run: async ({ store }) => {
      await claim(store, 'one', LONG, 'chain:1');
      const scopes = (leases: readonly Lease[]) => leases.map(({ scope }) => scope).sort();
      assert.deepEqual(scopes(await store.claimLeases(['chain:1', 'chain:2', 'service'], 'two', LONG)), [
        'chain:2',
        'service',
      ]);
      assert.deepEqual(scopes(await store.claimLeases(['service', 'chain:1'], 'one', LONG)), ['chain:1']);
    },
  },
  {
    name: 'gives a greater token when a lease ran out or was given up',
    run: async ({ store }) => {
      const first = await claim(store, 'one', SHORT);
      const second = await takeOver(store, 'two');
      assert.ok(second.token > first.token);
      await store.releaseLeases([second], 'two');
      const third = await claim(store, 'two');
      assert.ok(third.token > second.token);
    },
  },
  {
    name: 'keeps a lease that its former holder gives up too late',
    run: async ({ store }) => {
      const first = await claim(store, 'one', SHORT);
      await takeOver(store, 'two');
      await store.releaseLeases([first], 'one');
      assert.deepEqual(await store.claimLeases(['lane:1:a'], 'one', LONG), []);
    },
  },
  {
    name: 'writes what a holder fences, also past its time while nobody took over',
    run: async ({ store }) => {
      const lease = await claim(store, 'one', 1);
      await applied(store, fence(lease), insert('meta', metaRow(1)));
      const until = lease.token;
      await applied(store, insert('meta', metaRow(2)), fence({ scope: lease.scope, token: until }));
      assert.ok(await store.meta(metaRow(2).key));
    },
  },
  {
    name: 'fences off the late write of a holder that was replaced, whole',
    run: async ({ store }) => {
      const first = await claim(store, 'one', SHORT);
      const second = await takeOver(store, 'two');
      await refused(store, 'fenced', 'leases', insert('meta', metaRow(1)), fence(first));
      assert.equal(await store.meta(metaRow(1).key), undefined);
      await applied(store, fence(second), insert('meta', metaRow(1)));
    },
  },
  {
    name: 'fences off a write under a lease that was given up or never claimed',
    run: async ({ store }) => {
      const lease = await claim(store, 'one');
      await store.releaseLeases([lease], 'one');
      await claim(store, 'one');
      await refused(store, 'fenced', 'leases', fence(lease), insert('meta', metaRow(1)));
      await refused(store, 'fenced', 'leases', fence({ scope: 'nobody', token: 1 }));
    },
  },
  {
    name: 'lets exactly one of many owners have a lease',
    run: async ({ store }) => {
      const claims = await Promise.all(range(20).map((n) => store.claimLeases(['service'], `owner-${n}`, LONG)));
      assert.equal(claims.flat().length, 1);
    },
  },
  {
    name: 'frees no lease token for a second use over a restart',
    run: async (harness) => {
      const lease = await claim(harness.store, 'one', SHORT);
      const again = await harness.reopen();
      const next = await takeOver(again, 'two');
      assert.ok(next.token > lease.token);
    },
  },
  {
    name: 'keeps of an unpaid quote past its retention a tombstone, for ever',
    run: async ({ store }) => {
      const body = JSON.stringify({ refundRecipient: 'refunds-here' });
      const quote = quoteRow(1, { deadlineAt: T0, body });
      await applied(store, insert('quotes', quote));
      const days = (count: number) => T0 + count * 24 * 60 * 60 * 1_000;
      await store.prune(days(29));
      assert.deepEqual(await store.tombstonesByOrder([quote.orderId]), []);
      await store.prune(days(31));
      await store.prune(days(31));
      assert.equal(await store.quote(quote.id), undefined);
      const [tombstone] = await store.tombstonesByOrder([quote.orderId]);
      assert.deepEqual(tombstone, {
        orderId: quote.orderId,
        requestId: quote.id,
        refundTo: 'refunds-here',
        originChainId: quote.originChainId,
        keyId: quote.keyId,
        deadlineAt: T0,
        createdAt: quote.createdAt,
      });
      assert.deepEqual(await store.apply(changeSet()), { ok: true });
    },
  },
];
