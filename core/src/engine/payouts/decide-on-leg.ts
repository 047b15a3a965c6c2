import type { LegRow } from '../../contract/store-rows.js';
import { decideAndCommit, type WorkContext } from '../base/context.js';
import { loadViews } from '../base/load.js';
import { pauseOf } from '../base/poison.js';
import { UnitOfWork } from '../base/unit-of-work.js';

/** Until a leg that could not be judged is looked at again, at first. Milliseconds. */
const AGAIN_MS = 1_000;

/**
 * What was learnt about a leg, decided on the leg as it is in the store, with its request and deposit loaded. One that changed since
 * it was judged is left to be judged anew.
 *
 * @param name of the change set.
 * @param change what follows; undefined: nothing was learnt, and the leg is put off, for longer each time.
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
      unit.update('legs', leg.id, { dueAt: context.clock.now() + pauseOf(context, leg, AGAIN_MS) });
    else change(unit, leg);
    return { work: unit, result: true };
  });
}
