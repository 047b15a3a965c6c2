import type { LegRow } from '../contract/store-rows.js';
import { decideAndCommit, type WorkContext } from './context.js';
import { UnitOfWork } from './unit-of-work.js';

const AGAIN_MS = 60_000;

/** A leg whose turn throws: an operator hears of it, and it goes behind the others for a while. */
export async function postponePoison(context: WorkContext, leg: LegRow, error: unknown): Promise<void> {
  context.log.error({ leg: leg.id, err: error }, 'a leg cannot be dealt with');
  await decideAndCommit(context, 'engine.poison', async () => {
    const unit = new UnitOfWork();
    const [row] = await context.store.legs([leg.id]);
    if (row && (row.state === 'owed' || row.state === 'short')) {
      unit.load('legs', row);
      unit.update('legs', row.id, { dueAt: context.clock.now() + AGAIN_MS });
    }
    return { work: unit, result: undefined };
  });
  // Not before: while the database takes no writes, nothing is wrong with the leg.
  context.alerts.raise(poisonAlert(leg), 'A movement cannot be dealt with: this is a bug or a changed config', {
    leg: leg.id,
    requestId: leg.requestId,
  });
}

/** Raised while a row cannot be dealt with; cleared by whoever gets through with it. */
export function poisonAlert({ id }: { readonly id: string }): string {
  return `poison:${id}`;
}

const MOST_PAUSE_MS = 15_000;

/**
 * When to ask again about a leg that was not its turn: the longer it waits, the more rarely, so that any number of
 * legs that cannot move leave room for those that can.
 */
export function pauseOf(context: WorkContext, leg: LegRow, leastMs: number): number {
  const age = context.clock.now() - leg.createdAt;
  return Math.max(leastMs, Math.min(MOST_PAUSE_MS, Math.floor(age / 20)));
}
