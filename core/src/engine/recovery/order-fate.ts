import type { ChainAdapter } from '../../contract/chain-adapter.js';
import type { UnixMs } from '../../contract/ids.js';
import { type FillLeg, laneThatSends } from '../../contract/legs.js';
import type { RequestRow } from '../../contract/store-rows.js';
import { legId } from '../../domain/accounts.js';
import type { QuoteBody } from '../../domain/quote.js';
import { topUpId } from '../../domain/top-up.js';
import type { EngineContext } from '../base/context.js';
import { sinceOfOrder } from './since.js';

/** `unfilled`: and never can be any more. `open`: not filled, but it may still be. */
export type OrderFate = 'filled' | 'unfilled' | 'open';

/**
 * What the destination chain says of an order, whether this service filled it or not.
 *
 * Invariant (G3, G15): of fills that no ledger knows, only the order itself tells: unfilled at a final block past its
 * deadline.
 *
 * @param since the order was not filled before this time.
 * @throws on infrastructure failure.
 */
export async function orderFate(chain: ChainAdapter, fill: FillLeg, signer: string, since: UnixMs): Promise<OrderFate> {
  // guard: unfilled-on-chain
  if (await chain.unfilledForGood(fill.orderId, fill.deadline, since, fill.recipient)) return 'unfilled';
  const check = await chain.check(fill, signer);
  if (!check.ok && check.reason === 'ORDER_ALREADY_FILLED') return 'filled';
  // One who could not fill it anyway, as for want of funds or of the right to, is told so first; and where no contract
  // refuses a second fill, the first one is in the way of nothing.
  return (await chain.paidBy(fill, since)) ? 'filled' : 'open';
}

/**
 * The same of the order that a request is about, and of coin beside its output, whichever was filled or may be; `open` where its chain is
 * not configured, or does not answer.
 */
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
    const coin = coinOf(context, order, fill);
    return fate === 'unfilled' && coin ? await orderFate(chain, coin, signer, since) : fate;
  } catch (error) {
    context.log.warn({ orderId: order.orderId, err: error }, 'the fate of an order could not be read');
    return 'open';
  }
}

/** What goes beside a fill, as its chain is asked about it. What comes after the fill has as long again. */
function coinOf(
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
