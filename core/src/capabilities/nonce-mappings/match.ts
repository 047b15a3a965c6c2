import type { DepositObservation } from '../../contract/deposits.js';
import type { FundingKey, OrderId } from '../../contract/ids.js';
import type { EngineContext } from '../../engine/base/context.js';
import { mappableBy, nonceMappingId } from './sent-by.js';

/** Orders that payers named by the nonce of the transaction. Reads nothing where every transfer names its order. */
export async function ordersByNonce(
  { store }: Pick<EngineContext, 'store'>,
  transfers: readonly DepositObservation[],
): Promise<ReadonlyMap<FundingKey, OrderId>> {
  const ids = new Map(
    transfers.flatMap((seen) => {
      const sentBy = mappableBy(seen);
      return sentBy === undefined ? [] : [[seen.fundingKey, nonceMappingId(seen.chainId, sentBy)] as const];
    }),
  );
  if (ids.size === 0) return new Map();
  const rows = await store.nonceMappings([...new Set(ids.values())]);
  const orders = new Map(rows.map(({ id, orderId }) => [id, orderId]));
  return new Map(
    [...ids].flatMap(([fundingKey, id]) => {
      const order = orders.get(id);
      return order === undefined ? [] : [[fundingKey, order] as const];
    }),
  );
}
