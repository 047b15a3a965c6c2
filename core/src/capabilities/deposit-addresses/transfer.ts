import type { DepositObservation } from '../../contract/deposits.js';
import type { QuoteBody } from '../../domain/quote.js';
import type { RequestRow } from '../../contract/store-rows.js';
import { chainOf, type EngineContext } from '../../engine/base/context.js';
import type { UnitOfWork } from '../../engine/base/unit-of-work.js';

export function isOpen(body: Pick<QuoteBody, 'depositAddress'> | undefined): boolean {
  return body?.depositAddress?.type === 'open';
}

/**
 * Body of a transfer to an open address, until it is quoted: the wishes of the address's request for what arrived.
 *
 * @param unused an order id that no other order has.
 */
export function unquotedBody(
  context: EngineContext,
  parent: QuoteBody,
  { chainId, currency: address, amount }: DepositObservation,
  unused: QuoteBody['orderId'],
): QuoteBody {
  const currency = chainOf(context, chainId).currency(address);
  const { symbol = '', decimals = 0 } = currency ?? {};
  const { lateMinimumAmount: _, orderSignature: _signature, ...rest } = parent;
  return {
    ...rest,
    orderId: unused,
    tradeType: 'EXACT_INPUT',
    origin: { chainId, currency: address, symbol, decimals },
    amountIn: amount.toString(),
    amountOut: '0',
    minimumAmount: '0',
    unquoted: true,
  };
}

/** Where clients follow the transfer instead of the address: the newest takes over. */
export function supersede(
  { chains }: EngineContext,
  unit: UnitOfWork,
  parent: RequestRow,
  { id }: Pick<RequestRow, 'id'>,
): void {
  if (chains.get(parent.originChainId)?.capabilities.depositAddresses?.supersedes !== true) return;
  const body = JSON.parse(parent.body) as QuoteBody;
  unit.update('requests', parent.id, { body: JSON.stringify({ ...body, supersededBy: id } satisfies QuoteBody) });
}
