import type { AddressRow } from '../../contract/deposit-addresses.js';
import type { DepositObservation } from '../../contract/deposits.js';
import type { ChainId, FundingKey, OrderId } from '../../contract/ids.js';
import type { EngineContext } from '../../engine/base/context.js';

export function addressId(chainId: ChainId, address: string): AddressRow['id'] {
  return `${chainId}:${address}`;
}

/** The order of the quote that made the address; for an open address, that of the request its transfers are children of. */
export async function ordersByAddress(
  { store }: Pick<EngineContext, 'store'>,
  transfers: readonly DepositObservation[],
): Promise<ReadonlyMap<FundingKey, OrderId>> {
  const ids = new Map(
    transfers.flatMap(({ fundingKey, chainId, depositAddress }) =>
      depositAddress === null ? [] : [[fundingKey, addressId(chainId, depositAddress)] as const],
    ),
  );
  if (ids.size === 0) return new Map();
  const rows = await store.addresses([...new Set(ids.values())]);
  const orders = new Map(rows.map(({ id, orderId }) => [id, orderId]));
  return new Map(
    [...ids].flatMap(([fundingKey, id]) => {
      const order = orders.get(id);
      return order === undefined ? [] : [[fundingKey, order] as const];
    }),
  );
}
