import type { DepositObservation } from '../../contract/deposits.js';
import type { FundingKey, OrderId } from '../../contract/ids.js';
import type { EngineContext } from '../base/context.js';
import { isUnresolved } from './short-forms.js';

/** The order that each transfer pays; a transfer that names none is left out. */
type Matched = ReadonlyMap<FundingKey, OrderId>;

/** One way in which a transfer names its order. @throws on infrastructure failure. */
type Strategy = (context: EngineContext, transfers: readonly DepositObservation[]) => Promise<Matched>;

/** The transfer carries the id of its order, or the short form of that id, in whose place the whole id came when the transfer did. */
const byCarriedId: Strategy = async (context, transfers) =>
  new Map(
    transfers.flatMap((seen) =>
      seen.orderId === null || isUnresolved(context, seen) ? [] : [[seen.fundingKey, seen.orderId] as const],
    ),
  );

/** In the order of their weight: what one of them matched, the next ones are not asked about. */
const STRATEGIES: readonly Strategy[] = [byCarriedId];

/**
 * Which order each transfer pays, promised by this service or not.
 *
 * Invariant: a transfer pays one order at most, and the same one whenever it is asked for: a strategy goes by what the chain
 * shows and by what was durable before the transfer was.
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
