import type { ChainAdapter } from '../../contract/chain-adapter.js';
import type { AddressRef } from '../../contract/deposit-addresses.js';
import type { DepositRow } from '../../contract/store-rows.js';

/** The deposit address from which this deposit is refunded or collected. Undefined: the depository. */
export function paidFrom(
  { capabilities }: Pick<ChainAdapter, 'capabilities'>,
  { depositAddress, salt }: Pick<DepositRow, 'depositAddress' | 'salt'>,
): AddressRef | undefined {
  const { depositAddresses } = capabilities;
  if (depositAddresses === undefined || depositAddresses.sweeps === true) return undefined;
  return depositAddress === null || salt === null ? undefined : { address: depositAddress, salt };
}
