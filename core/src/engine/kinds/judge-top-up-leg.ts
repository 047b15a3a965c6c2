import type { LegRow } from '../../contract/store-rows.js';
import type { WorkContext } from '../base/context.js';
import { lastingReason, MAYBE_PAID } from '../base/leg-marks.js';
import type { Due, Means } from '../base/leg-rules.js';
import type { UnitOfWork } from '../base/unit-of-work.js';
import { isIn, isOver } from '../books/top-up-leg.js';
import { giveUpTopUp } from '../payouts/give-up-top-up.js';
import { asOwed, later, POLL_MS } from '../payouts/turn.js';

const POLL_INTERVAL_MS = 5_000;

/**
 * A top-up inside a fill is never signed alone. Judged only where an unknown fill landed, which moved the coin too.
 *
 * Invariant (G1, G3): both or neither. Never paid after its fill, nor automatically refunded once that landed.
 */
export function judgeTopUpLeg(
  context: WorkContext,
  unit: UnitOfWork,
  leg: LegRow,
  fill: LegRow | undefined,
  means: Means,
): Due | null {
  if (fill !== undefined && isIn(fill)) {
    if (leg.reason === MAYBE_PAID) return asOwed(leg);
    unit.update('legs', leg.id, { reason: MAYBE_PAID });
    return null;
  }
  if (fill === undefined || isOver(fill)) {
    giveUpTopUp(context, unit, leg, 'unfilled');
    return null;
  }
  // After its deposit vanished and returned, the top-up reserves inventory separately.
  if (fill.state === 'owed' && leg.state === 'short') {
    if (!means.reserve(unit, leg)) return later(context, unit, leg, POLL_MS);
    unit.update('legs', leg.id, { state: 'owed', reason: lastingReason(leg) });
  }
  return later(context, unit, leg, POLL_INTERVAL_MS);
}
