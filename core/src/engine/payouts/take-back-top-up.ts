import type { LegRow } from '../../contract/store-rows.js';
import { isReleased } from '../base/leg-marks.js';
import type { UnitOfWork } from '../base/unit-of-work.js';
import { isOver, topUpOf } from '../books/beside.js';
import { releaseInventory } from '../books/budget.js';

/**
 * The top-up's part of the deposit returns to the abandoned fill.
 *
 * Invariant (G3): only while nothing is signed for it. One that is signed, or that an operator released, continues
 * alone.
 */
export function takeBackTopUp(unit: UnitOfWork, fill: LegRow): LegRow {
  const beside = topUpOf(unit, fill);
  if (beside === undefined || isOver(beside) || beside.state === 'bound' || isReleased(beside)) return fill;
  if (beside.state === 'owed') releaseInventory(unit, beside);
  unit.update('legs', beside.id, { state: 'void', covers: 0n, reason: 'its fill was given up' });
  return unit.update('legs', fill.id, { covers: fill.covers + beside.covers });
}
