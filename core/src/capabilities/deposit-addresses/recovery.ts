import type { LegRow, RequestRow } from '../../contract/store-rows.js';
import type { QuoteBody } from '../../domain/quote.js';

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
