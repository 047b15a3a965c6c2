import type { IsPromised, OrderId, UnixMs } from '@causeway/core';
import type { RawTransaction } from '../raw/transaction.js';
import type { Waiting } from './cursor.js';
import type { Pool } from './pool.js';
import { type Claim, claimOf, type DepositReading, mayDeposit } from './read-deposits.js';

export interface Standing {
  readonly promised: boolean;
  /** In the mempool. One coin can create any number of conflicting transactions that left it. */
  readonly present: boolean;
  readonly amount: bigint;
}

export interface Candidate extends Claim {
  readonly tx: RawTransaction;
  readonly standing: Standing;
}

export interface CandidateDeps extends DepositReading {
  readonly pool: Pool;
  /** Satoshis; smaller deposits get no place. */
  readonly poolFloor: bigint;
  /** Undefined if promised orders are unknown. */
  readonly isPromised: IsPromised | undefined;
}

/** Mempool transactions that are no deposits, wait for their block, or are paused. */
export class Dismissed {
  readonly #until = new WeakMap<RawTransaction, UnixMs>();

  until(tx: RawTransaction, now: UnixMs): UnixMs | undefined {
    const until = this.#until.get(tx);
    return until !== undefined && until > now ? until : undefined;
  }

  /** Milliseconds until the first pause ends; null: none. */
  endsIn(pool: Pool, now: UnixMs): number | null {
    const ends = [...pool.entries.values()].map(({ tx }) => this.until(tx, now) ?? Number.POSITIVE_INFINITY);
    const first = ends.reduce((least, end) => Math.min(least, end), Number.POSITIVE_INFINITY);
    return Number.isFinite(first) ? first - now : null;
  }

  add(tx: RawTransaction, until: UnixMs = Number.POSITIVE_INFINITY): void {
    this.#until.set(tx, until);
  }
}

/** Orders per lookup; the rest waits for the next look. */
const IDS_PER_QUESTION = 1_000;
/** Retry delay of a failed order lookup, milliseconds. */
export const ASK_INTERVAL_MS = 10_000;

export interface Candidates {
  /** By descending priority. */
  readonly found: readonly Candidate[];
  readonly more: boolean;
}

/**
 * New mempool deposits worth reporting before their block.
 *
 * If promised orders are known, only deposits that name one, or pay a deposit address, qualify. Any other transfer is
 * refunded once final and would take the place of a deposit that a client waits for.
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
    if (claim.amount < poolFloor || (isPromised && claim.orderId === null && !claim.addressed)) dismissed.add(tx);
    else worth.push({ tx, ...claim });
  }
  worth.sort((a, b) => compareAmounts(b, a));
  const some = worth.slice(0, IDS_PER_QUESTION);
  const named = await promisedOf(
    deps,
    some.map(({ orderId }) => orderId),
  );
  const found: Candidate[] = [];
  for (const one of some) {
    const promised = isAwaited(one, named);
    // guard: bvm-promised-sightings
    if (promised || !isPromised) found.push({ ...one, standing: { promised, present: true, amount: one.amount } });
    else dismissed.add(one.tx, now + ASK_INTERVAL_MS);
  }
  return {
    found: found.sort((a, b) => compareStandings(a.standing, b.standing)),
    more: some.length < worth.length,
  };
}

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
        promised: isAwaited(one, named),
        present: one.absentSince === null && one.rival === null,
        amount: one.amount,
      },
    ]),
  );
}

/** Every deposit address belongs to a request. */
function isAwaited(
  { orderId, addressed }: Pick<Claim, 'orderId' | 'addressed'>,
  promised: ReadonlySet<OrderId>,
): boolean {
  return addressed || (orderId !== null && promised.has(orderId));
}

export function compareStandings(a: Standing, b: Standing): number {
  return Number(b.promised) - Number(a.promised) || Number(b.present) - Number(a.present) || compareAmounts(b, a);
}

/** Without that knowledge every named id counts as promised. */
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
