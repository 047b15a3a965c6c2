import type { DepositRow, RequestRow } from '../../contract/store-rows.js';

/**
 * The client of a deposit address named nobody to pay back, and a sender is often a custodian: an operator names a
 * recipient.
 */
export function lacksRefundAddress(
  request: Pick<RequestRow, 'refundTo'> | undefined,
  deposit: Pick<DepositRow, 'depositAddress'> | undefined,
): boolean {
  return deposit?.depositAddress != null && request?.refundTo === null;
}
