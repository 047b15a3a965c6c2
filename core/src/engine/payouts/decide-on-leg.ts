import type { LegRow } from '../../contract/store-rows.js';
import { decideAndCommit, type WorkContext } from '../base/context.js';
import { loadViews } from '../base/load.js';
import { pauseOf } from '../base/poison.js';
import { UnitOfWork } from '../base/unit-of-work.js';

/** First delay of a leg that could not be judged, milliseconds. */
const FIRST_RETRY_DELAY_MS = 1_000;

/**
 * Applies a verdict to the leg as stored. A leg that changed since is judged again.
 *
 * @param name of the change set.
 * @param change undefined: no verdict, and the leg is delayed, longer each time.
 * @returns whether it was decided.
 */
export function decideOnLeg(
  context: WorkContext,
  name: string,
  judged: LegRow,
  change: ((unit: UnitOfWork, leg: LegRow) => void) | undefined,
): Promise<boolean> {
  return decideAndCommit(context, name, async () => {
    const unit = new UnitOfWork();
    const [leg] = await context.store.legs([judged.id]);
    if (leg?.version !== judged.version) return { work: unit, result: false };
    unit.load('legs', leg);
    if (leg.requestId !== null) await loadViews(context, unit, [leg.requestId]);
    if (change === undefined)
      unit.update('legs', leg.id, { dueAt: context.clock.now() + pauseOf(context, leg, FIRST_RETRY_DELAY_MS) });
    else change(unit, leg);
    return { work: unit, result: true };
  });
}
