import { ordersByAddress } from '../../capabilities/deposit-addresses/match.js';
import { ordersByNonce } from '../../capabilities/nonce-mappings/match.js';
import type { DepositObservation } from '../../contract/deposits.js';
import type { FundingKey, OrderId } from '../../contract/ids.js';
import type { EngineContext } from '../base/context.js';
import { isUnresolved } from './short-forms.js';

/** By funding key; a transfer that names no order is absent. */
type Matched = ReadonlyMap<FundingKey, OrderId>;

/** @throws on infrastructure failure. */
type Strategy = (context: EngineContext, transfers: readonly DepositObservation[]) => Promise<Matched>;

/** Short forms are already expanded. */
const byCarriedId: Strategy = async (context, transfers) =>
  new Map(
    transfers.flatMap((seen) =>
      seen.orderId === null || isUnresolved(context, seen) ? [] : [[seen.fundingKey, seen.orderId] as const],
    ),
  );

/** By priority: the first match counts. */
const STRATEGIES: readonly Strategy[] = [byCarriedId, ordersByAddress, ordersByNonce];

/**
 * Invariant: at most one order per transfer, and always the same: strategies use only the chain and what was durable
 * before the transfer.
 */
export async function matchOrders(
  context: EngineContext,
  transfers: readonly DepositObservation[],
  strategies: readonly Strategy[] = STRATEGIES,
): Promise<Matched> {
  const matched = new Map<FundingKey, OrderId>();
  for (const strategy of strategies) {
    const rest = transfers.filter(({ fundingKey }) => !matched.has(fundingKey));
    if (rest.length === 0) break;
    for (const [fundingKey, orderId] of await strategy(context, rest)) matched.set(fundingKey, orderId);
  }
  return matched;
}
