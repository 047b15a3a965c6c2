import type { IsPromised, OrderId, UnixMs } from '@causeway/core';
import type { RawTransaction } from '../raw/transaction.js';
import type { Waiting } from './cursor.js';
import type { Pool } from './pool.js';
import { type Claim, claimOf, type DepositReading, mayDeposit } from './read-deposits.js';

/** What is to be told of first, and keeps its place the longest. */
export interface Standing {
  readonly promised: boolean;
  /** It is in the pool. What left it may have a rival that pays more, and one coin makes any number of these. */
  readonly present: boolean;
  /** Satoshis. */
  readonly amount: bigint;
}

export interface Candidate extends Claim {
  readonly tx: RawTransaction;
  readonly standing: Standing;
}

export interface CandidateDeps extends DepositReading {
  readonly pool: Pool;
  /** Satoshis: less is not worth a place. */
  readonly poolFloor: bigint;
  /** Which orders were promised; undefined where nobody can say. */
  readonly isPromised: IsPromised | undefined;
}

/** Transactions of the pool that are no deposits, are told of when they are in a block, or are not asked about for a while. */
export class Dismissed {
  readonly #until = new WeakMap<RawTransaction, UnixMs>();

  /** Until when; undefined where it is not dismissed. */
  until(tx: RawTransaction, now: UnixMs): UnixMs | undefined {
    const until = this.#until.get(tx);
    return until !== undefined && until > now ? until : undefined;
  }

  /** Milliseconds until the first of a pool's transactions is to be asked about again; null: none of them is. */
  endsIn(pool: Pool, now: UnixMs): number | null {
    const ends = [...pool.entries.values()].map(({ tx }) => this.until(tx, now) ?? Number.POSITIVE_INFINITY);
    const first = ends.reduce((least, end) => Math.min(least, end), Number.POSITIVE_INFINITY);
    return Number.isFinite(first) ? first - now : null;
  }

  add(tx: RawTransaction, until: UnixMs = Number.POSITIVE_INFINITY): void {
    this.#until.set(tx, until);
  }
}

/** Orders that are asked about together. The others wait for the next look. */
const ASKED_AT_ONCE = 1_000;
/** Nobody names an order that cannot be looked up at the moment: it is asked about again. Milliseconds. */
export const ASK_AGAIN_MS = 10_000;

export interface Candidates {
  /** The most important first. */
  readonly found: readonly Candidate[];
  /** There are more of them than one look takes. */
  readonly more: boolean;
}

/**
 * Deposits that wait in the pool, are not known yet, and are worth telling before their block.
 *
 * Where the promised orders are known, only a deposit that names one of them is told before its block. Nobody waits for any
 * other transfer: it is paid back once it is final, and would take a place from a deposit that somebody waits for.
 */
export async function candidates(
  deps: CandidateDeps,
  dismissed: Dismissed,
  known: ReadonlySet<string>,
  now: UnixMs,
): Promise<Candidates> {
  const { pool, isPromised, poolFloor } = deps;
  const worth: (Claim & { readonly tx: RawTransaction })[] = [];
  for (const { tx } of pool.entries.values()) {
    if (known.has(tx.txid) || dismissed.until(tx, now) !== undefined || !mayDeposit(deps, tx)) continue;
    const claim = claimOf(deps, tx);
    if (claim.amount < poolFloor || (isPromised && claim.orderId === null)) dismissed.add(tx);
    else worth.push({ tx, ...claim });
  }
  worth.sort((a, b) => compareAmounts(b, a));
  const some = worth.slice(0, ASKED_AT_ONCE);
  const named = await promisedOf(
    deps,
    some.map(({ orderId }) => orderId),
  );
  const found: Candidate[] = [];
  for (const one of some) {
    const promised = one.orderId !== null && named.has(one.orderId);
    if (promised || !isPromised) found.push({ ...one, standing: { promised, present: true, amount: one.amount } });
    else dismissed.add(one.tx, now + ASK_AGAIN_MS);
  }
  return {
    found: found.sort((a, b) => compareStandings(a.standing, b.standing)),
    more: some.length < worth.length,
  };
}

/** Those that were told of before, as they stand now. */
export async function standings(
  deps: CandidateDeps,
  waiting: readonly Waiting[],
): Promise<ReadonlyMap<Waiting, Standing>> {
  const named = await promisedOf(
    deps,
    waiting.map(({ orderId }) => orderId),
  );
  return new Map(
    waiting.map((one) => [
      one,
      {
        promised: one.orderId !== null && named.has(one.orderId),
        present: one.absentSince === null && one.rival === null,
        amount: one.amount,
      },
    ]),
  );
}

/** Negative where the first one is more important. */
export function compareStandings(a: Standing, b: Standing): number {
  return Number(b.promised) - Number(a.promised) || Number(b.present) - Number(a.present) || compareAmounts(b, a);
}

/** Where nobody can say which orders were promised, every id that is named counts as promised. */
async function promisedOf(
  { isPromised }: CandidateDeps,
  orderIds: readonly (OrderId | null)[],
): Promise<ReadonlySet<OrderId>> {
  const ids = [...new Set(orderIds.flatMap((id) => id ?? []))];
  return isPromised && ids.length > 0 ? isPromised(ids) : new Set(ids);
}

function compareAmounts(a: { readonly amount: bigint }, b: { readonly amount: bigint }): number {
  return a.amount < b.amount ? -1 : a.amount > b.amount ? 1 : 0;
}
