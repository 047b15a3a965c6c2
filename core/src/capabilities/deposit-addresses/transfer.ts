import type { DepositObservation } from '../../contract/deposits.js';
import type { FundingKey, Hex, OrderId } from '../../contract/ids.js';
import type { RequestRow } from '../../contract/store-rows.js';
import { bytesToHex } from '../../domain/hex.js';
import { keccak256 } from '../../domain/keccak.js';
import type { QuoteBody } from '../../domain/quote.js';
import { chainOf, type EngineContext } from '../../engine/base/context.js';
import type { UnitOfWork } from '../../engine/base/unit-of-work.js';

export function isOpen(body: Pick<QuoteBody, 'depositAddress'> | undefined): boolean {
  return body?.depositAddress?.type === 'open';
}

/**
 * Order id of a transfer to an open address, the same for every quote of it.
 *
 * Invariant (G1, G15): a transfer always has the same id. So a restored ledger, which quotes the transfer again, finds
 * its earlier fill on the chain, and a contract refuses a second one. For this the id is no hash of the order's data.
 */
export function orderOfTransfer(salt: Hex, fundingKey: FundingKey): OrderId {
  return bytesToHex(keccak256(new TextEncoder().encode(`deposit-address:${salt}:${fundingKey}`)));
}

/**
 * Body of a transfer to an open address until it is quoted: the terms of the address's request, with the amount that
 * arrived.
 */
export function unquotedBody(
  context: EngineContext,
  parent: QuoteBody,
  { fundingKey, chainId, currency: address, amount }: DepositObservation,
): QuoteBody {
  const currency = chainOf(context, chainId).currency(address);
  const { symbol = '', decimals = 0 } = currency ?? {};
  const { lateMinimumAmount: _, orderSignature: _signature, ...rest } = parent;
  return {
    ...rest,
    orderId: orderOfTransfer(parent.depositAddress?.salt ?? parent.requestId, fundingKey),
    tradeType: 'EXACT_INPUT',
    origin: { chainId, currency: address, symbol, decimals },
    amountIn: amount.toString(),
    amountOut: '0',
    minimumAmount: '0',
    unquoted: true,
  };
}

/** The newest transfer replaces the address's request for clients that follow it. */
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
