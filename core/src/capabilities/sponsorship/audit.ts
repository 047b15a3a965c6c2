import type { Store } from '../../contract/store.js';
import { account, counter } from '../../domain/accounts.js';

/** Micro-USD as decimal text. */
export interface AuditBalance {
  readonly integratorId: string;
  readonly balance: string;
  readonly reserved: string;
  readonly available: string;
}

export interface AuditBalances {
  /** Of all integrators together. */
  readonly balance: string;
  readonly reserved: string;
  readonly available: string;
  /** Balances that are not what is reserved and what is available together, or where one of these is below zero. */
  readonly wrong: readonly AuditBalance[];
}

const SPONSORSHIPS_PER_READ = 1_000;
/** A row that changes between two reads looks wrong in one pass, and not in the next. */
const MAX_READS = 3;

/** Compares the books, the open reservations and the counters of app balances with each other. */
export async function auditBalances(store: Pick<Store, 'pots' | 'openSponsorships'>): Promise<AuditBalances> {
  for (let look = 1; ; look += 1) {
    const found = await lookOnce(store);
    if (found.wrong.length === 0 || look === MAX_READS) return found;
  }
}

async function lookOnce(store: Pick<Store, 'pots' | 'openSponsorships'>): Promise<AuditBalances> {
  const [before, after] = account.appBalance('\n').split('\n') as [string, string];
  const reserved = new Map<string, bigint>();
  let last = { createdAt: 0, id: '' };
  for (;;) {
    const rows = await store.openSponsorships(last, SPONSORSHIPS_PER_READ);
    for (const { integratorId, amount } of rows)
      reserved.set(integratorId, (reserved.get(integratorId) ?? 0n) + amount);
    last = rows.at(-1) ?? last;
    if (rows.length < SPONSORSHIPS_PER_READ) break;
  }
  const balances = new Map(
    (await store.pots(before)).map((pot) => [pot.account.slice(before.length, -after.length), -pot.amount]),
  );
  const free = new Map(
    (await store.pots(counter.available(''))).map((pot) => [
      pot.account.slice(counter.available('').length),
      pot.amount,
    ]),
  );
  const sums = [0n, 0n, 0n] as [bigint, bigint, bigint];
  const wrong: AuditBalance[] = [];
  for (const integratorId of new Set([...balances.keys(), ...free.keys(), ...reserved.keys()])) {
    const of = [balances, reserved, free].map((each) => each.get(integratorId) ?? 0n) as typeof sums;
    const [balance, held, left] = of;
    of.forEach((amount, n) => {
      sums[n] = (sums[n] ?? 0n) + amount;
    });
    if (balance === held + left && left >= 0n) continue;
    wrong.push({ integratorId, ...textOf(of) });
  }
  return { ...textOf(sums), wrong };
}

function textOf([balance, reserved, available]: readonly [bigint, bigint, bigint]) {
  return { balance: balance.toString(), reserved: reserved.toString(), available: available.toString() };
}
