import type { LegRow, RequestRow } from '../../contract/store-rows.js';
import type { QuoteBody } from '../../domain/quote.js';
import type { UnitOfWork } from '../../engine/base/unit-of-work.js';

/** Where money goes that its client can no longer be paid; undefined: nowhere. */
export function recoveryOf(request: Pick<RequestRow, 'depositAddress' | 'body'> | undefined): string | undefined {
  if (request === undefined || request.depositAddress === null) return undefined;
  const { depositAddress } = JSON.parse(request.body) as QuoteBody;
  return depositAddress?.recoveryAddress ?? undefined;
}

/** Whether the leg pays the recovery address, which stands in for a blocked recipient or user. */
export function paysRecovery(leg: Pick<LegRow, 'recipient'>, request: RequestRow | undefined): boolean {
  return recoveryOf(request) === leg.recipient;
}

/** Directs the leg there. False where there is none, or it goes there already. */
export function payRecovery(unit: UnitOfWork, leg: LegRow, request: RequestRow | undefined): boolean {
  const recovery = recoveryOf(request);
  if (recovery === undefined || recovery === leg.recipient) return false;
  unit.update('legs', leg.id, { recipient: recovery });
  return true;
}
