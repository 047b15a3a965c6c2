import type { ChainId } from '../../contract/ids.js';
import type { RequestView } from '../../contract/store.js';
import type { EarmarkRow } from '../../contract/store-rows.js';
import { factsOf } from '../../domain/leg-facts.js';
import { chainClock, commit, type WorkContext } from '../base/context.js';
import { Patience } from '../base/patience.js';
import { UnitOfWork } from '../base/unit-of-work.js';
import { endEarmark } from '../books/earmarks.js';

/** Small, so that no change set is large; what is left is the next round's, at once. */
const MOST = 50;
const AGAIN_MS = 5_000;

/**
 * Gives back what is kept for quotes that nobody paid in time.
 *
 * Invariant: a payment that was in a block before its quote was over finds what was kept for it. So nothing ends before the quote's
 * origin chain was read past that time, as far as is durable (a payment is written no later than the cursor that passed it), nor
 * while such a payment waits to be decided, or its fill for another limit. But past the order's deadline nothing is filled any
 * more, whatever the chain does, and everything ends. Times are those of the chains wherever one was heard of: the wall clock of this
 * process may be wrong, and another process may decide on the payment by a right one.
 *
 * Race closed here: a payment that is decided meanwhile changes the earmark's row, and so one of the two change sets is refused.
 */
export class OverdueEarmarks {
  readonly #context: WorkContext;
  readonly #patience: Patience;

  constructor(context: WorkContext) {
    this.#context = context;
    this.#patience = new Patience(context.clock);
  }

  /** @returns whether there may be more to do at once. */
  async round(): Promise<boolean> {
    const { store } = this.#context;
    const newest = this.#newest();
    const read = (limit: number) => store.overdueEarmarks(newest, limit);
    const overdue = await this.#patience.turn(MOST, read, ({ id }) => id);
    if (overdue.length === 0) return false;
    // Before the requests: what was paid in time is in the books by the time that a cursor is past it.
    const readUntil = await this.#readUntil(overdue);
    const views = new Map((await store.views(overdue.map(({ id }) => id))).map((view) => [view.request.id, view]));
    const unit = new UnitOfWork();
    for (const row of overdue) {
      const passed = (readUntil.get(row.originChainId) ?? 0) > row.expiresAt;
      if (this.#now(row.chainId) <= row.deadlineAt && (!passed || isNeeded(row, views.get(row.id)))) {
        this.#patience.postpone(row.id, AGAIN_MS);
        continue;
      }
      unit.load('earmarks', row);
      endEarmark(unit, row.id, 'expired');
    }
    // Where one of them was decided meanwhile, all are looked at again.
    await commit(this.#context, 'engine.earmarks', unit);
    return overdue.length === MOST;
  }

  /** By the chain that fills, and by our own clock only before that was heard of. */
  #now(chainId: ChainId): number {
    return chainClock(this.#context, chainId) ?? this.#context.clock.now();
  }

  /** The latest that any clock says, so that one that is behind keeps nothing from being looked at. */
  #newest(): number {
    const ids = [...this.#context.times.keys()];
    return Math.max(this.#context.clock.now(), ...ids.map((id) => this.#now(id)));
  }

  /** Times of the newest blocks that were read, of each origin. */
  async #readUntil(rows: readonly EarmarkRow[]): Promise<ReadonlyMap<number, number>> {
    const ids = [...new Set(rows.map(({ originChainId }) => originChainId))];
    const cursors = await Promise.all(ids.map((id) => this.#context.store.cursor(id)));
    return new Map(cursors.flatMap((cursor) => (cursor ? [[cursor.chainId, cursor.headTime]] : [])));
  }
}

/** Paid in time and not decided yet, or decided and short of another limit than what is kept. */
function isNeeded({ expiresAt }: EarmarkRow, view: RequestView | undefined): boolean {
  if (view === undefined) return false;
  const paid = view.deposits.find(({ fundingKey }) => fundingKey === view.request.fundingKey);
  if (paid === undefined || paid.blockTime === null || paid.blockTime > expiresAt) return false;
  if (paid.state !== 'included' && paid.state !== 'final') return false;
  return paid.decision === 'waiting' || view.legs.some((leg) => factsOf(leg).delivers && leg.state === 'short');
}
