import type { LegRow } from '../../contract/store-rows.js';
import { joinedOf } from '../../domain/joined.js';
import type { EngineContext } from '../base/context.js';
import { loadViews } from '../base/load.js';
import type { UnitOfWork } from '../base/unit-of-work.js';
import { completeRefund } from './settled-leg.js';

/** What was joined to these legs, with its requests. Reads nothing where nothing was. */
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

/** Legs whose transfers the leg pays back too; without those that were not loaded. */
export function joinedLegs(unit: UnitOfWork, leg: LegRow): readonly LegRow[] {
  if (leg.joined === null) return [];
  const direct = unit.all('legs').filter(({ state, reason }) => state === 'joined' && reason === leg.id);
  // A leg that took others along may itself have been held and taken along.
  return direct.flatMap((one) => [one, ...joinedLegs(unit, one)]);
}

/** The leg is final: what was joined to it is refunded too. */
export function completeJoined(context: EngineContext, unit: UnitOfWork, leg: LegRow): void {
  for (const one of joinedLegs(unit, leg)) completeRefund(context, unit, one);
}
