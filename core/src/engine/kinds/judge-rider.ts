import type { LegRow } from '../../contract/store-rows.js';
import type { WorkContext } from '../base/context.js';
import { lastingReason, MAYBE_PAID } from '../base/leg-marks.js';
import type { Due, Means } from '../base/leg-rules.js';
import type { UnitOfWork } from '../base/unit-of-work.js';
import { isIn, isOver } from '../books/beside.js';
import { giveUpCoin } from '../payouts/give-up-top-up.js';
import { asOwed, later, POLL_MS } from '../payouts/turn.js';

/** While its fill is on its way, which takes it along. */
const LOOKS_MS = 5_000;

/**
 * Coin that goes with a fill, which nobody signs by itself. Its turn comes only where the fill is on the chain without this ledger
 * having sent the two: whatever made the fill moved the coin, too, so its chain is asked about that.
 *
 * Invariant (G1, G3): both or neither. It is never paid after its fill, and never goes back by itself where that is in.
 */
export function judgeRider(
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
    giveUpCoin(context, unit, leg, 'unfilled');
    return null;
  }
  // What came back with its deposit claims its inventory apart from the fill.
  if (fill.state === 'owed' && leg.state === 'short') {
    if (!means.reserve(unit, leg)) return later(context, unit, leg, POLL_MS);
    unit.update('legs', leg.id, { state: 'owed', reason: lastingReason(leg) });
  }
  return later(context, unit, leg, LOOKS_MS);
}
