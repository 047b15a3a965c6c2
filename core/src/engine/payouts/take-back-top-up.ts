import type { LegRow } from '../../contract/store-rows.js';
import { isReleased } from '../base/leg-marks.js';
import type { UnitOfWork } from '../base/unit-of-work.js';
import { isOver, topUpOf } from '../books/beside.js';
import { releaseInventory } from '../books/budget.js';

/**
 * Gives up what would go out beside a fill that is given up itself: the part of the deposit that it settles is the fill's again, to
 * be paid back or held with it.
 *
 * Invariant (G3): only where nothing is signed for it. What is out is on its own: it is delivered, or its part goes back later; and so
 * is what an operator released, which is for whom they named.
 */
export function takeBackTopUp(unit: UnitOfWork, fill: LegRow): LegRow {
  const beside = topUpOf(unit, fill);
  if (beside === undefined || isOver(beside) || beside.state === 'bound' || isReleased(beside)) return fill;
  if (beside.state === 'owed') releaseInventory(unit, beside);
  unit.update('legs', beside.id, { state: 'void', covers: 0n, reason: 'its fill was given up' });
  return unit.update('legs', fill.id, { covers: fill.covers + beside.covers });
}
