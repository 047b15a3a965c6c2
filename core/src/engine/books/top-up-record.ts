import type { LegRow } from '../../contract/store-rows.js';
import type { UnitOfWork } from '../base/unit-of-work.js';

/** Null: none. */
export function noteTopUp(unit: UnitOfWork, leg: LegRow, amount: bigint | null): void {
  const request = leg.requestId === null ? undefined : unit.get('requests', leg.requestId);
  if (!request) return;
  const { topUp: _, ...rest } = JSON.parse(request.actual ?? '{}') as Record<string, unknown>;
  const actual = amount === null ? rest : { ...rest, topUp: amount.toString() };
  unit.update('requests', request.id, { actual: JSON.stringify(actual) });
}
