import type { RequestRow } from '../../contract/store-rows.js';

/** Fee of the transaction that carried the call, native smallest unit; null while none is in a block. */
export function burntBy({ actual }: Pick<RequestRow, 'actual'>): bigint | null {
  const { callFee } = JSON.parse(actual ?? '{}') as { readonly callFee?: string };
  return callFee === undefined ? null : BigInt(callFee);
}
