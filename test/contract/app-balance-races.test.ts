import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  available,
  releaseChanges,
  reserveChanges,
  settleChanges,
} from '../../core/src/capabilities/sponsorship/app-balance.js';
import { balanceChanges } from '../../core/src/capabilities/sponsorship/credit.js';
import type { Store } from '../../core/src/contract/store.js';
import { account } from '../../core/src/domain/accounts.js';
import { requestId } from '../../core/src/testing/store-fixtures.js';
import { sqliteHarness } from '../../core/test/store/sqlite-harness.js';
import { PgBench } from '../../plugins/storage-pg/test/support/pg-harness.js';

const WHO = 'int_1';
const NOW = 1_700_000_000_000;
const ASKED = 1_000;
const EACH = 7n;
/** Enough for 50 of them. */
const BALANCE = 50n * EACH + 3n;

let bench: PgBench;
beforeAll(async () => {
  bench = await PgBench.start();
});
afterAll(async () => {
  await bench?.stop();
});

const sponsored = (n: number) => ({ integratorId: WHO, requestId: requestId(n), amount: EACH });

/** Two processes where the database allows it. */
async function storesOf(kind: string): Promise<{ readonly stores: readonly Store[]; end(): Promise<void> }> {
  if (kind === 'SQLite') {
    const { store, dispose } = await sqliteHarness();
    return { stores: [store], end: dispose };
  }
  const harness = await bench.harness();
  return { stores: [harness.store, await harness.second()], end: () => harness.dispose() };
}

describe.each(['SQLite', 'PostgreSQL'])('1,000 requests at once against a nearly empty balance on %s', (kind) => {
  it('sponsor no more than it holds, and each that was reserved ends once', { timeout: 60_000 }, async () => {
    const { stores, end } = await storesOf(kind);
    const store = stores[0] as Store;
    const credit = {
      ...({ id: 'credit:1', integratorId: WHO, kind: 'credit', amount: BALANCE, requestId: null } as const),
      ...{ chainId: null, currency: null, transactionHash: null, reason: null, createdAt: NOW },
    };
    expect(await store.apply({ name: 'credit', changes: balanceChanges(credit) })).toEqual({ ok: true });

    const asked = Array.from({ length: ASKED }, (_, n) => n);
    const at = (n: number) => stores[n % stores.length] as Store;
    const outcomes = await Promise.all(
      asked.map((n) => at(n).apply({ name: 'reserve', changes: reserveChanges(sponsored(n), NOW) })),
    );
    const reserved = asked.filter((n) => outcomes[n]?.ok);
    const refused = outcomes.flatMap((outcome) => (outcome.ok ? [] : [outcome.conflict]));
    expect(reserved).toHaveLength(50);
    for (const { kind: why, key } of refused) expect([why, key]).toEqual(['bound', `#appBalance:${WHO}`]);
    expect(await available(store, WHO)).toBe(3n);

    // Each is settled and released twice over, and other money is withdrawn meanwhile.
    const ends = reserved.flatMap((n) => [
      settleChanges(sponsored(n), 5n, NOW),
      releaseChanges(sponsored(n), NOW),
      settleChanges(sponsored(n), EACH, NOW),
    ]);
    const withdrawals = asked
      .slice(0, 100)
      .map((n) => balanceChanges({ ...credit, id: `debit:${n}`, kind: 'debit', amount: -2n }));
    const applied = await Promise.all(
      [...ends, ...withdrawals].map((changes, n) => at(n).apply({ name: 'end', changes })),
    );
    const ended = applied.slice(0, ends.length).filter(({ ok }) => ok);
    expect(ended).toHaveLength(50);
    expect(await store.openSponsorships({ createdAt: 0, id: '' }, 10)).toEqual([]);
    const left = await available(store, WHO);
    expect(left).toBeGreaterThanOrEqual(0n);
    const rows = await store.sponsorships(reserved.map((n) => requestId(n)));
    const taken = rows.reduce((sum, row) => sum + (row.taken ?? 0n), 0n);
    const withdrawn = 2n * BigInt(applied.slice(ends.length).filter(({ ok }) => ok).length);
    expect(left).toBe(BALANCE - taken - withdrawn);
    expect(-(await store.pot(account.appBalance(WHO)))).toBe(left);
    expect(-(await store.pot(account.sponsored))).toBe(taken);
    await end();
  });
});
