import assert from 'node:assert/strict';
import type { Change, PostingMark } from '../contract/store.js';
import { applied, range, refused } from './store-asserts.js';
import type { StoreCase } from './store-case.js';
import * as rows from './store-fixtures.js';

const { changeSet, insert, move } = rows;

const count = (by: bigint, bounds: Partial<Extract<Change, { op: 'count' }>> = {}): Change => ({
  op: 'count',
  account: '#reserved',
  by,
  ...bounds,
});

export const bookCases: readonly StoreCase[] = [
  {
    name: 'adds postings to their pots, exactly and beyond 64 bits',
    async run({ store, reopen }) {
      const big = 2n ** 250n + 7n;
      await applied(store, move('g1', 'opening:1', 'inventory:1', big), move('g2', 'opening:1', 'inventory:1', 1n));
      await applied(store, move('g3', 'inventory:1', 'paid:1', 8n));
      const again = await reopen();
      assert.equal(await again.pot('opening:1'), -(big + 1n));
      assert.equal(await again.pot('inventory:1'), big - 7n);
      assert.equal(await again.pot('paid:1'), 8n);
      assert.equal(await again.pot('nothing'), 0n);
      assert.equal(
        (await again.pots('')).reduce((sum, pot) => sum + pot.amount, 0n),
        0n,
      );
    },
  },
  {
    name: 'posts a group once for ever',
    async run({ store, reopen }) {
      await applied(store, move('g1', 'a', 'b', 5n));
      await refused(store, 'duplicate', 'postings', move('g1', 'a', 'b', 5n));
      await refused(store, 'duplicate', 'postings', move('g1', 'c', 'd', 1n));
      await refused(store, 'duplicate', 'postings', move('g2', 'a', 'b', 1n), move('g2', 'c', 'd', 1n));
      const outcomes = await Promise.all(range(20).map(() => store.apply(changeSet(move('g3', 'a', 'b', 1n)))));
      assert.equal(outcomes.filter((outcome) => outcome.ok).length, 1);
      const again = await reopen();
      await refused(again, 'duplicate', 'postings', move('g1', 'a', 'b', 5n));
      assert.equal(await again.pot('b'), 6n);
    },
  },
  {
    name: 'reads postings of a period in pages, oldest first',
    async run({ store, reopen }) {
      const at = (group: string, createdAt: number): Change => {
        const change = move(group, 'a', 'b', 5n) as Extract<Change, { op: 'post' }>;
        return { ...change, lines: change.lines.map((line) => ({ ...line, createdAt })) };
      };
      await applied(store, at('g3', 20), at('g1', 30), at('g2', 20));
      await applied(store, at('g0', 10), at('g4', 40));
      const again = await reopen();
      const named = ({ groupId, account }: PostingMark) => `${groupId}${account}`;
      assert.deepEqual((await again.postings(20, 40, 9)).map(named), ['g2a', 'g2b', 'g3a', 'g3b', 'g1a', 'g1b']);
      const paged: string[] = [];
      for (let page = await again.postings(10, 40, 3); page.length > 0; ) {
        paged.push(...page.map(named));
        page = await again.postings(10, 40, 3, page.at(-1));
      }
      assert.deepEqual(paged, ['g0a', 'g0b', 'g2a', 'g2b', 'g3a', 'g3b', 'g1a', 'g1b']);
      assert.deepEqual(await again.postings(31, 40, 9), []);
    },
  },
  {
    name: 'rejects a posting that names an account twice',
    async run({ store }) {
      await assert.rejects(store.apply(changeSet(move('g1', 'a', 'a', 5n))));
      assert.equal(await store.pot('a'), 0n);
    },
  },
  {
    name: 'finds pots by prefix, sorted, and by nothing else',
    async run({ store }) {
      await applied(store, move('g1', 'a:1', 'a:10', 1n), move('g2', 'a%', 'A:1', 2n), move('g3', 'a_1', 'b', 3n));
      const accounts = async (prefix: string) => (await store.pots(prefix)).map((pot) => pot.account);
      assert.deepEqual(await accounts('a:'), ['a:1', 'a:10']);
      assert.deepEqual(await accounts('a%'), ['a%']);
      assert.deepEqual(await accounts('a_'), ['a_1']);
      assert.deepEqual(await accounts('zz'), []);
      assert.equal((await accounts('')).length, 6);
    },
  },
  {
    name: 'keeps a counter within its bounds',
    async run({ store }) {
      await applied(store, count(10n, { atMost: 10n }));
      await refused(store, 'bound', 'pots', count(1n, { atMost: 10n }));
      await refused(store, 'bound', 'pots', count(-11n, { atLeast: 0n }));
      await applied(store, count(-10n, { atLeast: 0n }));
      assert.equal(await store.pot('#reserved'), 0n);
      await applied(store, count(-3n));
      assert.equal(await store.pot('#reserved'), -3n);
    },
  },
  {
    name: 'includes what was reported as done in what is confirmed, of balances and of lanes',
    async run({ store }) {
      const seen = async () => [
        await store.pot('#reserved', 'confirmed'),
        (await store.lane(902, 'filler1', 'confirmed'))?.position,
      ];
      assert.deepEqual(await seen(), [0n, undefined]);
      await applied(store, count(4n), insert('lanes', rows.laneRow(1, { chainId: 902, signer: 'filler1' })));
      for (const n of range(3)) {
        const advance = { op: 'update', table: 'lanes', key: { id: rows.laneRow(1).id }, version: n } as const;
        await applied(store, count(1n), { ...advance, set: { position: String(n) } });
        assert.deepEqual(await seen(), [BigInt(n + 4), String(n)]);
        await refused(store, 'bound', 'pots', count(-100n, { atLeast: 0n }));
        assert.deepEqual(await seen(), [BigInt(n + 4), String(n)]);
      }
    },
  },
  {
    name: 'bounds a counter by another pot less what must be kept',
    async run({ store }) {
      const atMostPot = { account: 'inventory', keep: 5n };
      await refused(store, 'bound', 'pots', count(1n, { atMostPot }));
      await applied(store, move('g1', 'opening', 'inventory', 20n));
      await applied(store, count(15n, { atMostPot }));
      await refused(store, 'bound', 'pots', count(1n, { atMostPot }));
      await applied(store, count(0n, { atMostPot }));
      assert.equal(await store.pot('#reserved'), 15n);
    },
  },
  {
    name: 'judges bounds on what the set itself already changed',
    async run({ store }) {
      const atMostPot = { account: 'inventory', keep: 0n };
      await applied(store, move('g1', 'opening', 'inventory', 10n), count(10n, { atMostPot }));
      await refused(store, 'bound', 'pots', move('g2', 'inventory', 'paid', 1n), count(0n, { atMostPot }));
      await refused(store, 'bound', 'pots', count(-5n), count(6n, { atMostPot }));
      await applied(store, count(-5n), count(5n, { atMostPot }));
      await applied(store, move('g3', 'inventory', 'paid', 4n), count(-4n, { atLeast: 0n }), count(0n, { atMostPot }));
      assert.equal(await store.pot('inventory'), 6n);
      assert.equal(await store.pot('#reserved'), 6n);
    },
  },
  {
    name: 'never promises more than there is, however many ask at once',
    async run({ store }) {
      await applied(store, move('g1', 'opening', 'inventory', 100n));
      const atMostPot = { account: 'inventory', keep: 5n };
      const outcomes = await Promise.all(range(40).map(() => store.apply(changeSet(count(10n, { atMostPot })))));
      assert.equal(outcomes.filter((outcome) => outcome.ok).length, 9);
      assert.equal(await store.pot('#reserved'), 90n);
    },
  },
  {
    name: 'finds claims of app fees by what was signed and by wallet, newest first, page by page, and each leg once',
    async run({ store, reopen }) {
      const claim = (n: number, more: Partial<ReturnType<typeof rows.feeClaimRow>> = {}) => [
        insert('legs', rows.legRow(n, { kind: 'claim', key: n === 2 ? 'nonce-2' : null })),
        insert('feeClaims', rows.feeClaimRow(n, more)),
      ];
      await applied(store, ...[1, 2, 3].flatMap((n) => claim(n)), ...claim(4, { wallet: '0xother', createdAt: 0 }));
      const { chainId } = rows.legRow(2);
      const key = { id: `${chainId}:nonce-2`, chainId, key: 'nonce-2', includedHash: rows.hash(77) };
      await applied(store, insert('keys', rows.keyRow(2, key)));
      await refused(store, 'duplicate', 'feeClaims', insert('feeClaims', rows.feeClaimRow(1)));
      await refused(
        store,
        'duplicate',
        'feeClaims',
        insert('feeClaims', rows.feeClaimRow(9, { legId: rows.legRow(1).id })),
      );
      const again = await reopen();
      const view = (n: number) => ({
        claim: rows.feeClaimRow(n),
        leg: rows.legRow(n, { kind: 'claim', key: n === 2 ? 'nonce-2' : null }),
        hash: n === 2 ? rows.hash(77) : null,
      });
      assert.deepEqual(await again.feeClaim(rows.hash(2)), view(2));
      assert.deepEqual(await again.feeClaims(['0xwallet', '0xwallet'], 9), [view(3), view(2), view(1)]);
      assert.deepEqual(await again.feeClaims(['0xwallet'], 2), [view(3), view(2)]);
      assert.deepEqual(await again.feeClaims(['0xwallet'], 2, rows.feeClaimRow(2)), [view(1)]);
      const of = async (...wallets: string[]) => (await again.feeClaims(wallets, 9)).map(({ claim: { id } }) => id);
      assert.deepEqual(await of('0xother', '0xwallet'), [3, 2, 1, 4].map(rows.hash));
      assert.deepEqual(await of(), []);
      const { createdAt } = rows.feeClaimRow(2);
      const [lowest, highest] = [`0x${'0'.repeat(64)}`, `0x${'f'.repeat(64)}`] as const;
      assert.deepEqual(await again.feeClaims(['0xwallet'], 9, { createdAt, id: highest }), [view(2), view(1)]);
      assert.deepEqual(await again.feeClaims(['0xwallet'], 9, { createdAt, id: lowest }), [view(1)]);
    },
  },
  {
    name: 'finds what is earmarked by quote, and what is overdue the longest first, until it ends',
    async run({ store, reopen }) {
      const row = (n: number) => rows.earmarkRow(n);
      await applied(store, ...[3, 1, 2].map((n) => insert('earmarks', row(n))));
      await refused(store, 'duplicate', 'earmarks', insert('earmarks', row(2)));
      const { id } = row(1);
      await applied(store, { op: 'update', table: 'earmarks', key: { id }, version: 1, set: { state: 'expired' } });
      await refused(store, 'version', 'earmarks', {
        ...{ op: 'update', table: 'earmarks', key: { id }, version: 1 },
        set: { state: 'claimed' },
      });
      const again = await reopen();
      const ended = { ...row(1), version: 2, state: 'expired' } as const;
      const byId = (one: { readonly id: string }, other: { readonly id: string }) => (one.id < other.id ? -1 : 1);
      assert.deepEqual(
        [...(await again.earmarks([1, 2, 9].map(rows.requestId)))].sort(byId),
        [ended, row(2)].sort(byId),
      );
      const { expiresAt } = row(3);
      assert.deepEqual(await again.overdueEarmarks(expiresAt, 9), [row(2)]);
      assert.deepEqual(await again.overdueEarmarks(expiresAt + 1, 9), [row(2), row(3)]);
      assert.deepEqual(await again.overdueEarmarks(expiresAt + 1, 1), [row(2)]);
      assert.deepEqual(await again.earmarks([]), []);
    },
  },
  {
    name: 'finds what integrators pay by request, what of it is open, and changes of balances, page by page',
    async run({ store, reopen }) {
      const row = (n: number) => rows.sponsorshipRow(n);
      const event = (n: number, more: Partial<ReturnType<typeof rows.balanceEventRow>> = {}) =>
        insert('balanceEvents', rows.balanceEventRow(n, more));
      const paid = { kind: 'deposit', requestId: rows.requestId(1), chainId: 901, currency: '0xusd' } as const;
      await applied(store, ...[3, 1, 2].map((n) => insert('sponsorships', row(n))));
      await refused(
        store,
        'duplicate',
        'sponsorships',
        insert('sponsorships', { ...row(4), requestId: row(2).requestId }),
      );
      const { id } = row(1);
      await applied(store, {
        op: 'update',
        table: 'sponsorships',
        key: { id },
        version: 1,
        set: { taken: 0n, endedAt: 9 },
      });
      await applied(
        store,
        event(1),
        event(2, paid),
        event(3, { amount: -(10n ** 30n) }),
        event(4, { integratorId: 'x' }),
      );
      await refused(store, 'duplicate', 'balanceEvents', event(1));
      await applied(store, insert('sponsorPolicies', rows.sponsorPolicyRow(1)));
      const again = await reopen();
      assert.deepEqual(await again.sponsorships([rows.requestId(1), rows.requestId(9)]), [
        { ...row(1), version: 2, taken: 0n, endedAt: 9 },
      ]);
      assert.deepEqual(await again.openSponsorships({ createdAt: 0, id: '' }, 9), [row(2), row(3)]);
      assert.deepEqual(await again.openSponsorships(row(2), 9), [row(3)]);
      assert.deepEqual(await again.openSponsorships({ createdAt: 0, id: '' }, 1), [row(2)]);
      const big = rows.balanceEventRow(3, { amount: -(10n ** 30n) });
      const second = rows.balanceEventRow(2, paid);
      assert.deepEqual(await again.balanceEvents('integrator-1', {}, 2), [big, second]);
      assert.deepEqual(await again.balanceEvents('integrator-1', {}, 9, second), [rows.balanceEventRow(1)]);
      assert.deepEqual(await again.balanceEvents('integrator-1', paid, 9), [second]);
      assert.deepEqual(await again.balanceEvents('integrator-1', { ...paid, currency: 'other' }, 9), []);
      assert.deepEqual(await again.sponsorPolicy('key-1'), rows.sponsorPolicyRow(1));
    },
  },
];
