import type { LegRow, RequestRow } from '../../contract/store-rows.js';
import type { QuoteBody } from '../../domain/quote.js';
import type { UnitOfWork } from '../../engine/base/unit-of-work.js';

/** The address on the origin for money that its recipient or user may no longer be paid; undefined: none. */
function recoveryOf({ chainId }: Pick<LegRow, 'chainId'>, request: RequestRow | undefined): string | undefined {
  if (request === undefined || request.depositAddress === null) return undefined;
  // guard: recovery-on-its-chain
  if (request.originChainId !== chainId) return undefined;
  const { depositAddress } = JSON.parse(request.body) as QuoteBody;
  return depositAddress?.recoveryAddress ?? undefined;
}

/** Whether the leg pays the recovery address, which replaces a blocked recipient or user. */
export function paysRecovery(leg: Pick<LegRow, 'chainId' | 'recipient'>, request: RequestRow | undefined): boolean {
  return recoveryOf(leg, request) === leg.recipient;
}

/** Makes the recovery address the recipient of the leg. False where there is none, or it is the recipient already. */
export function payRecovery(unit: UnitOfWork, leg: LegRow, request: RequestRow | undefined): boolean {
  const recovery = recoveryOf(leg, request);
  if (recovery === undefined || recovery === leg.recipient) return false;
  unit.update('legs', leg.id, { recipient: recovery });
  return true;
}
