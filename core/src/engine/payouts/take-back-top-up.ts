import type { LegRow } from '../../contract/store-rows.js';
import { isReleased } from '../base/leg-marks.js';
import type { UnitOfWork } from '../base/unit-of-work.js';
import { releaseInventory } from '../books/budget.js';
import { isOver, topUpOf } from '../books/top-up-leg.js';

/**
 * The top-up's part of the deposit returns to the abandoned fill.
 *
 * Invariant (G3): only while nothing is signed for it. One that is signed, or that an operator released, continues
 * alone.
 */
export function takeBackTopUp(unit: UnitOfWork, fill: LegRow): LegRow {
  const extra = topUpOf(unit, fill);
  if (extra === undefined || isOver(extra) || extra.state === 'bound' || isReleased(extra)) return fill;
  if (extra.state === 'owed') releaseInventory(unit, extra);
  unit.update('legs', extra.id, { state: 'void', covers: 0n, reason: 'its fill was given up' });
  return unit.update('legs', fill.id, { covers: fill.covers + extra.covers });
}
