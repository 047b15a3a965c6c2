import type { LegRow } from '../../contract/store-rows.js';
import { joinedOf } from '../../domain/joined.js';
import type { EngineContext } from '../base/context.js';
import { loadViews } from '../base/load.js';
import type { UnitOfWork } from '../base/unit-of-work.js';
import { completeRefund } from './settled-leg.js';

/** Loads the legs joined to these, with their requests. Reads nothing where none was. */
export async function loadJoined(context: EngineContext, unit: UnitOfWork, legs: readonly LegRow[]): Promise<void> {
  const keys = legs.flatMap((leg) => joinedOf(leg).transfers);
  if (keys.length === 0) return;
  const deposits = await context.store.deposits(keys);
  await loadViews(
    context,
    unit,
    deposits.map(({ requestId }) => requestId),
  );
}

/** Loaded legs that were joined to this one, directly or through another. */
export function joinedLegs(unit: UnitOfWork, leg: LegRow): readonly LegRow[] {
  if (leg.joined === null) return [];
  const direct = unit.all('legs').filter(({ state, reason }) => state === 'joined' && reason === leg.id);
  // A leg with joined legs may itself have been held and joined.
  return direct.flatMap((one) => [one, ...joinedLegs(unit, one)]);
}

/** The leg is final: the legs joined to it are refunded with it. */
export function completeJoined(context: EngineContext, unit: UnitOfWork, leg: LegRow): void {
  for (const one of joinedLegs(unit, leg)) completeRefund(context, unit, one);
}
