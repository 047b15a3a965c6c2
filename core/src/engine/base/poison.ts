import type { ChainId } from '../../contract/ids.js';
import type { LegRow } from '../../contract/store-rows.js';
import { commit, decideAndCommit, type WorkContext } from './context.js';
import { UnitOfWork } from './unit-of-work.js';

const RETRY_DELAY_MS = 60_000;

/**
 * Race closed here: a leg and its related rows are read at different times. An error from such a mixture proves nothing
 * about the leg, which is judged again.
 */
export async function postponePoison(context: WorkContext, leg: LegRow, error: unknown): Promise<void> {
  const [now] = await context.store.legs([leg.id]);
  if (now?.version !== leg.version) {
    context.log.info({ leg: leg.id, err: error }, 'a leg changed while it was decided');
    return;
  }
  context.log.error({ leg: leg.id, err: error }, 'a leg cannot be processed');
  await postpone(context, leg, RETRY_DELAY_MS);
  // Raised only after the write: if the database refuses writes, the leg is not at fault.
  context.alerts.raise(poisonAlert(leg), 'A movement cannot be processed: this is a bug or a changed config', {
    leg: leg.id,
    requestId: leg.requestId,
  });
}

export async function postpone(context: WorkContext, leg: LegRow, ms: number): Promise<void> {
  await decideAndCommit(context, 'engine.postpone', async () => {
    const unit = new UnitOfWork();
    const [row] = await context.store.legs([leg.id]);
    if (row && (row.state === 'owed' || row.state === 'short')) {
      unit.load('legs', row);
      unit.update('legs', row.id, { dueAt: context.clock.now() + ms });
    }
    return { work: unit, result: undefined };
  });
}

export function poisonAlert({ id }: { readonly id: string }): string {
  return `poison:${id}`;
}

const MAX_PAUSE_MS = 15_000;

/** Grows with the leg's wait, so that stuck legs leave capacity for others. */
export function pauseOf(context: WorkContext, leg: LegRow, leastMs: number): number {
  const now = context.clock.now();
  const patience = Math.min(MAX_PAUSE_MS, Math.floor((now - leg.createdAt) / 20));
  const left = (leg.deadlineAt ?? Number.POSITIVE_INFINITY) - now;
  return Math.max(leastMs, Math.min(patience, Math.floor(left / 4)));
}

const MAX_POSTPONED_MS = 2 * RETRY_DELAY_MS;

/** Makes legs due again that a process with a fast wall clock postponed too far. */
export async function unparkLegs(context: WorkContext, chainId: ChainId, signer: string): Promise<void> {
  const now = context.clock.now();
  const legs = await context.store.claimDue(chainId, signer, Number.MAX_SAFE_INTEGER, 1_000);
  const parked = legs.filter((leg) => leg.dueAt > now + MAX_POSTPONED_MS);
  if (parked.length === 0) return;
  const unit = new UnitOfWork();
  for (const leg of parked) {
    unit.load('legs', leg);
    unit.update('legs', leg.id, { dueAt: now });
  }
  // A leg that changed meanwhile is found again the next time.
  await commit(context, 'engine.unpark', unit);
  context.log.warn({ chainId, signer, legs: parked.length }, 'legs were postponed too far');
}
