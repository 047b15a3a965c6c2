import type { AddressRow } from '../../contract/deposit-addresses.js';
import type { DepositObservation } from '../../contract/deposits.js';
import type { ChainId, FundingKey, OrderId } from '../../contract/ids.js';
import type { EngineContext } from '../../engine/base/context.js';

export function addressId(chainId: ChainId, address: string): AddressRow['id'] {
  return `${chainId}:${address}`;
}

/**
 * For a strict address, the order of the request that it was made for; for an open address, the request that its
 * transfers belong to.
 */
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
  const salts = new Map(rows.map(({ id, salt }) => [id, salt]));
  const requests = await store.requests([...new Set(salts.values())]);
  const orders = new Map(requests.map(({ id, orderId }) => [id, orderId]));
  return new Map(
    [...ids].flatMap(([fundingKey, id]) => {
      const salt = salts.get(id);
      const order = salt === undefined ? undefined : orders.get(salt);
      return order === undefined ? [] : [[fundingKey, order] as const];
    }),
  );
}
