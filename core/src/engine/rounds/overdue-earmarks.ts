import type { ChainId } from '../../contract/ids.js';
import type { RequestView } from '../../contract/store.js';
import type { EarmarkRow } from '../../contract/store-rows.js';
import { factsOf } from '../../domain/leg-facts.js';
import { chainClock, commit, type WorkContext } from '../base/context.js';
import { Patience } from '../base/patience.js';
import { UnitOfWork } from '../base/unit-of-work.js';
import { endEarmark } from '../books/earmarks.js';

const MAX_ROWS_PER_PASS = 50;
const RETRY_DELAY_MS = 5_000;

/**
 * Ends earmarks of quotes that were not paid in time.
 *
 * Invariant: a payment included before its quote expired finds its earmark. So an earmark ends only after the origin
 * chain was durably read past the quote's expiry, and not while such a payment is undecided or its fill is short of
 * another limit. Past the order's deadline it always ends. Times are those of the chains where known.
 *
 * Race closed here: a concurrent decision changes the earmark's row, so one of both change sets is refused.
 */
export class OverdueEarmarks {
  readonly #context: WorkContext;
  readonly #patience: Patience;

  constructor(context: WorkContext) {
    this.#context = context;
    this.#patience = new Patience(context.clock);
  }

  async round(): Promise<boolean> {
    const { store } = this.#context;
    const newest = this.#newest();
    const read = (limit: number) => store.overdueEarmarks(newest, limit);
    const overdue = await this.#patience.turn(MAX_ROWS_PER_PASS, read, ({ id }) => id);
    if (overdue.length === 0) return false;
    // Before the requests: a cursor past that time means that timely payments are booked.
    const readUntil = await this.#readUntil(overdue);
    const views = new Map((await store.views(overdue.map(({ id }) => id))).map((view) => [view.request.id, view]));
    const unit = new UnitOfWork();
    for (const row of overdue) {
      const passed = (readUntil.get(row.originChainId) ?? 0) > row.expiresAt;
      if (this.#now(row.chainId) <= row.deadlineAt && (!passed || isNeeded(row, views.get(row.id)))) {
        this.#patience.postpone(row.id, RETRY_DELAY_MS);
        continue;
      }
      unit.load('earmarks', row);
      endEarmark(unit, row.id, 'expired');
    }
    // If a concurrent decision refuses this commit, the next pass checks all rows again.
    await commit(this.#context, 'engine.earmarks', unit);
    return overdue.length === MAX_ROWS_PER_PASS;
  }

  /** The local clock counts only until the destination's is known. */
  #now(chainId: ChainId): number {
    return chainClock(this.#context, chainId) ?? this.#context.clock.now();
  }

  /** The latest of all clocks, so that a slow local clock delays no check. */
  #newest(): number {
    const ids = [...this.#context.times.keys()];
    return Math.max(this.#context.clock.now(), ...ids.map((id) => this.#now(id)));
  }

  async #readUntil(rows: readonly EarmarkRow[]): Promise<ReadonlyMap<number, number>> {
    const ids = [...new Set(rows.map(({ originChainId }) => originChainId))];
    const cursors = await Promise.all(ids.map((id) => this.#context.store.cursor(id)));
    return new Map(cursors.flatMap((cursor) => (cursor ? [[cursor.chainId, cursor.headTime]] : [])));
  }
}

/** Paid in time but undecided, or short of another limit. */
function isNeeded({ expiresAt }: EarmarkRow, view: RequestView | undefined): boolean {
  if (view === undefined) return false;
  const paid = view.deposits.find(({ fundingKey }) => fundingKey === view.request.fundingKey);
  if (paid === undefined || paid.blockTime === null || paid.blockTime > expiresAt) return false;
  if (paid.state !== 'included' && paid.state !== 'final') return false;
  return paid.decision === 'waiting' || view.legs.some((leg) => factsOf(leg).delivers && leg.state === 'short');
}
