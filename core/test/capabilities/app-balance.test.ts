import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  available,
  releaseChanges,
  reservationOf,
  reserveChanges,
  type Sponsored,
  settleChanges,
} from '../../src/capabilities/sponsorship/app-balance.js';
import { auditBalances } from '../../src/capabilities/sponsorship/audit.js';
import { balanceChanges } from '../../src/capabilities/sponsorship/credit.js';
import type { Change, Store } from '../../src/contract/store.js';
import { account } from '../../src/domain/accounts.js';
import { requestId } from '../../src/testing/store-fixtures.js';
import { memoryHarness } from '../store/memory-harness.js';
import { sqliteHarness } from '../store/sqlite-harness.js';

const WHO = 'int_1';
const NOW = 1_700_000_000_000;
const CAP = { account: '#sponsored:key-1:2023-11-14', most: 60n };

type Move =
  | { readonly kind: 'reserve'; readonly n: number; readonly amount: bigint }
  | { readonly kind: 'settle'; readonly n: number; readonly actual: bigint }
  | { readonly kind: 'release'; readonly n: number }
  | { readonly kind: 'change'; readonly n: number; readonly amount: bigint };

const small = fc.bigInt({ min: 0n, max: 40n });
const n = fc.integer({ min: 1, max: 6 });
const moves: fc.Arbitrary<Move> = fc.oneof(
  fc.record({ kind: fc.constant('reserve' as const), n, amount: small.map((one) => one + 1n) }),
  fc.record({ kind: fc.constant('settle' as const), n, actual: small.map((one) => one * 2n) }),
  fc.record({ kind: fc.constant('release' as const), n }),
  fc.record({
    kind: fc.constant('change' as const),
    n: fc.integer({ min: 1, max: 12 }),
    amount: fc.bigInt({ min: -50n, max: 50n }).filter((one) => one !== 0n),
  }),
);

/** What was reserved by request, as the first that reserved has it. */
class Books {
  readonly reserved = new Map<number, bigint>();
  readonly #store: Store;
  readonly #capped: boolean;

  constructor(store: Store, capped: boolean) {
    this.#store = store;
    this.#capped = capped;
  }

  async run(move: Move): Promise<boolean> {
    const { ok } = await this.#store.apply({ name: move.kind, changes: this.#changesOf(move) });
    if (ok && move.kind === 'reserve') this.reserved.set(move.n, move.amount);
    return ok;
  }

  #changesOf(move: Move): readonly Change[] {
    if (move.kind === 'change') return balanceChanges(credit(`change:${move.n}`, move.amount));
    const of = this.sponsored(move.n, move.kind === 'reserve' ? move.amount : undefined);
    if (move.kind === 'reserve') return reserveChanges(of, NOW);
    return move.kind === 'settle' ? settleChanges(of, move.actual, NOW) : releaseChanges(of, NOW);
  }

  sponsored(id: number, amount = this.reserved.get(id) ?? 1n): Sponsored {
    const of = { integratorId: WHO, requestId: requestId(id), amount };
    return this.#capped ? { ...of, caps: [CAP] } : of;
  }
}

function credit(id: string, amount: bigint) {
  return {
    ...({ id, integratorId: WHO, kind: amount > 0n ? 'credit' : 'debit', amount, requestId: null } as const),
    ...{ chainId: null, currency: null, transactionHash: null, reason: 'test', createdAt: NOW },
  };
}

/** The books balance, the counter is the balance less what is reserved, and nothing is below zero. */
async function check(store: Store, capped: boolean): Promise<void> {
  const free = await available(store, WHO);
  const pots = await store.pots('');
  const amounts = pots.filter((pot) => !pot.account.startsWith('#')).map((pot) => pot.amount);
  expect(amounts.reduce((sum, amount) => sum + amount, 0n)).toBe(0n);
  const balance = -(await store.pot(account.appBalance(WHO)));
  const open = await store.openSponsorships({ createdAt: 0, id: '' }, 100);
  const reserved = open.reduce((sum, row) => sum + row.amount, 0n);
  expect(free).toBeGreaterThanOrEqual(0n);
  expect(free).toBe(balance - reserved);
  const events = await store.balanceEvents(WHO, {}, 1_000);
  expect(events.reduce((sum, event) => sum + event.amount, 0n)).toBe(balance);
  const taken = events.filter(({ kind }) => kind === 'sponsorship').reduce((sum, { amount }) => sum - amount, 0n);
  expect(-(await store.pot(account.sponsored))).toBe(taken);
  if (capped) {
    expect(await store.pot(CAP.account)).toBe(reserved + taken);
    expect(reserved + taken).toBeLessThanOrEqual(CAP.most);
  }
}

describe('an app balance', () => {
  it('never falls below zero, whatever is done in whatever order, and each reservation ends once', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(moves, { maxLength: 40 }), fc.boolean(), async (all, capped) => {
        const { store } = await memoryHarness();
        const books = new Books(store, capped);
        const ended = new Set<number>();
        for (const move of all) {
          const ok = await books.run(move);
          if (ok && (move.kind === 'settle' || move.kind === 'release')) {
            expect(ended.has(move.n)).toBe(false);
            ended.add(move.n);
          }
          await check(store, capped);
        }
      }),
      { numRuns: 300 },
    );
  });

  it('stays whole where all of it happens at once', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(moves, { minLength: 5, maxLength: 40 }), fc.boolean(), async (all, capped) => {
        const { store } = await memoryHarness();
        const books = new Books(store, capped);
        await books.run({ kind: 'change', n: 99, amount: 60n });
        for (const id of [1, 2, 3]) await books.run({ kind: 'reserve', n: id, amount: 15n });
        await Promise.all(all.map((move) => books.run(move)));
        await check(store, capped);
      }),
      { numRuns: 200 },
    );
  });

  it('takes what a request cost, at most what is reserved, and says what is open', async () => {
    const { store, dispose } = await sqliteHarness();
    const books = new Books(store, true);
    await books.run({ kind: 'change', n: 1, amount: 100n });
    await books.run({ kind: 'reserve', n: 1, amount: 30n });
    await books.run({ kind: 'reserve', n: 2, amount: 20n });
    expect(await available(store, WHO)).toBe(50n);
    const one = await reservationOf(store, requestId(1));
    expect(one).toEqual({ ...books.sponsored(1), caps: [{ account: CAP.account }] });
    expect((await store.apply({ name: 'settle', changes: settleChanges(one as Sponsored, 99n, NOW) })).ok).toBe(true);
    expect(await reservationOf(store, requestId(1))).toBeNull();
    expect([await available(store, WHO), await store.pot(CAP.account)]).toEqual([50n, 50n]);
    const again = await store.apply({ name: 'again', changes: releaseChanges(one as Sponsored, NOW) });
    expect(again).toMatchObject({ ok: false, conflict: { kind: 'version', table: 'sponsorships' } });
    expect(await books.run({ kind: 'settle', n: 2, actual: 0n })).toBe(true);
    expect([await available(store, WHO), await store.pot(CAP.account)]).toEqual([70n, 30n]);
    expect((await store.balanceEvents(WHO, { kind: 'sponsorship' }, 9)).map(({ amount }) => amount)).toEqual([-30n]);
    await check(store, true);
    await dispose();
  });

  it('is audited: a counter that is not what the books say is named', async () => {
    const { store, dispose } = await sqliteHarness();
    const books = new Books(store, false);
    await books.run({ kind: 'change', n: 1, amount: 100n });
    await books.run({ kind: 'reserve', n: 1, amount: 30n });
    const sums = { balance: '100', reserved: '30', available: '70' };
    expect(await auditBalances(store)).toEqual({ ...sums, wrong: [] });
    await store.apply({ name: 'wrong', changes: [{ op: 'count', account: `#appBalance:${WHO}`, by: -1n }] });
    const wrong = { ...sums, available: '69' };
    expect(await auditBalances(store)).toEqual({ ...wrong, wrong: [{ integratorId: WHO, ...wrong }] });
    await dispose();
  });

  it('ends no reservation that was never made', async () => {
    const { store, dispose } = await sqliteHarness();
    const books = new Books(store, false);
    await books.run({ kind: 'change', n: 1, amount: 100n });
    const refused = async (changes: readonly Change[]) =>
      expect(await store.apply({ name: 'end', changes })).toMatchObject({ ok: false, conflict: { kind: 'version' } });
    await refused(settleChanges(books.sponsored(1), 1n, NOW));
    await refused(releaseChanges(books.sponsored(1), NOW));
    await books.run({ kind: 'reserve', n: 1, amount: 9n });
    await refused(releaseChanges(books.sponsored(1, 10n), NOW));
    await refused(settleChanges({ ...books.sponsored(1), integratorId: 'int_2' }, 1n, NOW));
    expect(await available(store, WHO)).toBe(91n);
    expect(() => reserveChanges(books.sponsored(1, 0n), NOW)).toThrow(RangeError);
    await dispose();
  });
});
