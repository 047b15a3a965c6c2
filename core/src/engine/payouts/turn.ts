import type { LegRow } from '../../contract/store-rows.js';
import type { WorkContext } from '../base/context.js';
import type { Doubt, Due } from '../base/leg-rules.js';
import { pauseOf } from '../base/poison.js';
import type { UnitOfWork } from '../base/unit-of-work.js';

export const POLL_MS = 500;
export const SLOW_POLL_MS = 2_000;

export function asOwed({ amount, work }: LegRow): Due {
  return { amount, work };
}

/** Milliseconds: short while a start compares lanes, longer for a halt. Null: no wait. */
export function waitOf(doubt: Doubt): number | null {
  if (doubt === 'soon') return POLL_MS;
  return doubt === 'wait' ? SLOW_POLL_MS : null;
}

export function later(context: WorkContext, unit: UnitOfWork, leg: LegRow, ms: number): null {
  unit.update('legs', leg.id, { dueAt: context.clock.now() + pauseOf(context, leg, ms) });
  return null;
}
