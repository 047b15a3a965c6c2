import assert from 'node:assert/strict';
import type { PlacedAddress } from '../contract/store.js';
import type { Tables } from '../contract/store-rows.js';
import { applied, range, refused } from './store-asserts.js';
import type { StoreCase } from './store-case.js';
import * as rows from './store-fixtures.js';

const { insert, T0 } = rows;
const BEGINNING = { seenAt: 0, fundingKey: '' };
const keysOf = (deposits: readonly { readonly fundingKey: string }[]) => deposits.map((deposit) => deposit.fundingKey);

export const addressCases: readonly StoreCase[] = [
  {
    name: 'finds deposits at deposit addresses, in any state, oldest first',
    async run({ store }) {
      const at = (address: string) => ({ depositAddress: address, salt: rows.requestId(99) });
      await applied(
        store,
        insert('deposits', rows.depositRow(4, at('b'))),
        insert('deposits', rows.depositRow(3, { ...at('a'), state: 'vanished', height: null })),
        insert('deposits', rows.depositRow(2, { ...at('b'), sweptAt: T0 })),
        insert('deposits', rows.depositRow(1, { ...at('a'), state: 'mempool', height: null })),
        insert('deposits', rows.depositRow(5, { ...at('a'), chainId: 902 })),
        insert('deposits', rows.depositRow(6, at('c'))),
        insert('deposits', rows.depositRow(7)),
      );
      assert.deepEqual(keysOf(await store.depositsAt(901, ['b', 'a', 'b'])), [1, 2, 3, 4].map(rows.fundingKey));
      assert.deepEqual(await store.depositsAt(901, ['b']), [
        rows.depositRow(2, { ...at('b'), sweptAt: T0 }),
        rows.depositRow(4, at('b')),
      ]);
      assert.deepEqual(keysOf(await store.depositsAt(902, ['a', 'b'])), [rows.fundingKey(5)]);
      assert.deepEqual(await store.depositsAt(901, ['d']), []);
    },
  },
  {
    name: 'finds deposits at more addresses than a list of bound values holds, oldest first',
    async run({ store }) {
      const address = (n: number) => `address-${n}`;
      const paid = [25_000, 3, 14_000];
      await applied(
        store,
        ...paid.map((n, at) => insert('deposits', rows.depositRow(at + 1, { depositAddress: address(n) }))),
      );
      const found = await store.depositsAt(901, range(30_000).map(address));
      assert.deepEqual(keysOf(found), [1, 2, 3].map(rows.fundingKey));
    },
  },
  {
    name: 'finds what waits for a sweep, oldest first, until it is swept',
    async run({ store }) {
      const waits = { depositAddress: 'a', salt: rows.requestId(99) } as const;
      await applied(
        store,
        insert('deposits', rows.depositRow(3, { ...waits, state: 'final' })),
        insert('deposits', rows.depositRow(2, waits)),
        insert('deposits', rows.depositRow(4, { ...waits, sweptAt: T0 })),
        insert('deposits', rows.depositRow(5, { ...waits, state: 'mempool', height: null })),
        insert('deposits', rows.depositRow(6, { ...waits, state: 'vanished', height: null })),
        insert('deposits', rows.depositRow(7)),
        insert('deposits', rows.depositRow(1, { ...waits, chainId: 902 })),
      );
      assert.deepEqual(keysOf(await store.unswept(901, BEGINNING, 10)), [2, 3].map(rows.fundingKey));
      const [first] = await store.unswept(901, BEGINNING, 1);
      assert.equal(first?.fundingKey, rows.fundingKey(2));
      assert.deepEqual(keysOf(await store.unswept(901, first, 10)), [rows.fundingKey(3)]);
      const change = { op: 'update', table: 'deposits', key: { fundingKey: rows.fundingKey(2) }, version: 1 } as const;
      await applied(store, { ...change, set: { sweptAt: T0 + 1 } });
      assert.deepEqual(keysOf(await store.unswept(901, BEGINNING, 10)), [rows.fundingKey(3)]);
      await applied(store, { ...change, version: 2, set: { sweptAt: null } });
      assert.deepEqual(keysOf(await store.unswept(901, BEGINNING, 10)), [2, 3].map(rows.fundingKey));
    },
  },
  {
    name: 'finds what arrived at deposit addresses and is not decided, oldest first, among any number of others',
    async run({ store }) {
      const waits = { depositAddress: 'a', salt: rows.requestId(99), decision: 'waiting' } as const;
      await applied(
        store,
        insert('deposits', rows.depositRow(1, { decision: 'waiting' })),
        insert('deposits', rows.depositRow(3, { ...waits, state: 'final' })),
        insert('deposits', rows.depositRow(2, waits)),
        insert('deposits', rows.depositRow(4, { ...waits, decision: 'fill' })),
        insert('deposits', rows.depositRow(5, { ...waits, state: 'vanished', height: null })),
        insert('deposits', rows.depositRow(6, { ...waits, chainId: 902 })),
      );
      assert.deepEqual(keysOf(await store.undecidedAt(901, 10)), [2, 3].map(rows.fundingKey));
      assert.deepEqual(keysOf(await store.undecidedAt(901, 1)), [rows.fundingKey(2)]);
    },
  },
  {
    name: 'finds deposit addresses by id, by request and by creation, over a restart',
    async run({ store, reopen }) {
      const row = (n: number, overrides: Partial<Tables['addresses']> = {}) => rows.addressRow(n, overrides);
      const open = row(2, { type: 'open', keyId: 'key-1' });
      const same = row(5, { createdAt: T0 + 3 });
      const other = row(4, { id: '902:address-4', chainId: 902 });
      await applied(store, ...[row(3), same, open, row(1), other].map((one) => insert('addresses', one)));
      const plain = (found: readonly PlacedAddress[]) => found.map(({ position: _, ...one }) => one);
      const sorted = (found: readonly Tables['addresses'][]) => [...found].sort((a, b) => (a.id < b.id ? -1 : 1));
      const readsAll = async (from: typeof store): Promise<void> => {
        assert.deepEqual(sorted(await from.addresses([open.id, row(1).id, open.id, '901:none'])), [row(1), open]);
        assert.deepEqual(sorted(await from.addressesOf([rows.requestId(3), rows.requestId(4), rows.requestId(9)])), [
          row(3),
          other,
        ]);
        const placed = await from.addressesAfter(901, 0, 10);
        assert.deepEqual(plain(placed), [row(3), same, open, row(1)]);
        const [, second, third] = placed.map(({ position }) => position);
        assert.deepEqual(plain(await from.addressesAfter(901, second ?? 0, 1)), [open]);
        assert.deepEqual(plain(await from.addressesAfter(901, third ?? 0, 9)), [row(1)]);
        assert.deepEqual(await from.addressesAfter(901, placed.at(-1)?.position ?? 0, 3), []);
      };
      await readsAll(store);
      await readsAll(await reopen());
    },
  },
  {
    name: 'keeps one row per deposit address, which changes with its version',
    guarantees: ['G4'],
    async run({ store }) {
      await applied(store, insert('addresses', rows.addressRow(1)));
      const again = rows.addressRow(1, { salt: rows.requestId(2) });
      await refused(store, 'duplicate', 'addresses', insert('addresses', again));
      await applied(store, insert('addresses', again, true));
      assert.deepEqual(await store.addresses([again.id]), [rows.addressRow(1)]);
      const change = { op: 'update', table: 'addresses', key: { id: again.id }, set: { hotUntil: T0 + 7 } } as const;
      await applied(store, { ...change, version: 1 });
      await refused(store, 'version', 'addresses', { ...change, version: 1 });
      assert.deepEqual(await store.addresses([again.id]), [rows.addressRow(1, { version: 2, hotUntil: T0 + 7 })]);
    },
  },
  {
    name: 'keeps one nonce mapping per transaction and one per order, over a restart',
    guarantees: ['G4'],
    async run({ store, reopen }) {
      const row = (n: number, overrides: Partial<Tables['nonceMappings']> = {}) => rows.nonceMappingRow(n, overrides);
      await applied(store, insert('nonceMappings', row(1)), insert('nonceMappings', row(2)));
      const duplicates = [row(1, { orderId: rows.orderId(3) }), row(3, { orderId: rows.orderId(1) }), row(1)];
      for (const one of duplicates) await refused(store, 'duplicate', 'nonceMappings', insert('nonceMappings', one));
      const read = await (await reopen()).nonceMappings([row(2).id, row(1).id, row(3).id, row(1).id]);
      assert.deepEqual(
        [...read].sort((a, b) => (a.id < b.id ? -1 : 1)),
        [row(1), row(2)],
      );
      const senderNonce = '{"account":"0xpayer","nonce":"7"}';
      const again = await reopen();
      await applied(again, insert('deposits', rows.depositRow(1, { senderNonce })));
      assert.deepEqual(await again.deposits([rows.fundingKey(1)]), [rows.depositRow(1, { senderNonce })]);
    },
  },
];
