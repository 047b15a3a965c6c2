import type { ChainAdapter } from '../../contract/chain-adapter.js';
import type { UnixMs } from '../../contract/ids.js';
import { type FillLeg, laneThatSends } from '../../contract/legs.js';
import type { RequestRow } from '../../contract/store-rows.js';
import { legId } from '../../domain/accounts.js';
import type { QuoteBody } from '../../domain/quote.js';
import { topUpId } from '../../domain/top-up.js';
import type { EngineContext } from '../base/context.js';
import { sinceOfOrder } from './since.js';

/** `unfilled`: now and for ever. `open`: may still be filled. */
export type OrderFate = 'filled' | 'unfilled' | 'open';

/**
 * The order's fate on its chain, independent of who filled it.
 *
 * Invariant (G3, G15): only the order itself disproves fills that are in no ledger: unfilled at a final block past
 * its deadline.
 *
 * @param since the order was not filled before.
 * @throws on infrastructure failure.
 */
export async function orderFate(chain: ChainAdapter, fill: FillLeg, signer: string, since: UnixMs): Promise<OrderFate> {
  // guard: unfilled-on-chain
  if (await chain.unfilledForGood(fill.orderId, fill.deadline, since, fill.recipient)) return 'unfilled';
  const check = await chain.check(fill, signer);
  if (!check.ok && check.reason === 'ORDER_ALREADY_FILLED') return 'filled';
  // The chain may first refuse because funds or permission are missing; and where no contract prevents a second fill,
  // an earlier one causes no refusal.
  return (await chain.paidBy(fill, since)) ? 'filled' : 'open';
}

/** Combined fate of an order and its top-up; `open` where the chain is not configured or does not answer. */
export async function fateOfRequest(context: EngineContext, request: RequestRow): Promise<OrderFate> {
  const order = JSON.parse(request.body) as QuoteBody;
  const chain = context.chains.get(order.destination.chainId);
  const signer = chain && laneThatSends(chain.lanes, 'fill')?.signer;
  if (!chain || signer === undefined) return 'open';
  const fill: FillLeg = {
    kind: 'fill',
    legId: legId.fill(order.orderId),
    orderId: order.orderId,
    deadline: Math.floor(order.deadlineAt / 1000),
    currency: order.destination.currency,
    amount: BigInt(order.amountOut),
    recipient: order.recipient,
  };
  try {
    const since = await sinceOfOrder(context, request);
    const fate = await orderFate(chain, fill, signer, since);
    const topUp = topUpOf(context, order, fill);
    return fate === 'unfilled' && topUp ? await orderFate(chain, topUp, signer, since) : fate;
  } catch (error) {
    context.log.warn({ orderId: order.orderId, err: error }, 'the fate of an order could not be read');
    return 'open';
  }
}

/** A top-up after the fill may land until twice the order's lifetime. */
function topUpOf(
  { policy }: EngineContext,
  { orderId, deadlineAt, topUp }: QuoteBody,
  fill: FillLeg,
): FillLeg | undefined {
  if (topUp === undefined) return undefined;
  return {
    ...fill,
    legId: legId.topUp(orderId),
    orderId: topUpId(orderId),
    deadline: Math.floor((deadlineAt + (topUp.inFill ? 0 : policy.orderTtlMs)) / 1000),
    currency: topUp.currency,
    amount: BigInt(topUp.minimumAmount),
  };
}
