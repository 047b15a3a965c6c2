import type { ChainCodec } from '../../contract/chain-adapter.js';
import type { ChainId } from '../../contract/ids.js';
import type { RequestView } from '../../contract/store.js';
import { divide } from '../../domain/decimal.js';
import { microUsdText } from '../../domain/money.js';
import type { QuoteBody } from '../../domain/quote.js';
import { type AmountView, amountView } from '../../quoting/currency-view.js';
import { type PricedSide, sideView } from './currencies.js';

/** The chain on which the deposit arrived, which may differ from the quoted chain. */
export function paidOn({ request, deposits }: RequestView, body: QuoteBody): ChainId {
  return deposits.find((row) => row.fundingKey === request.fundingKey)?.chainId ?? body.origin.chainId;
}

/** What the payer gave if the deposit was swapped as quoted; null otherwise. */
export function swappedFrom({ request, deposits }: RequestView, { swapIn }: QuoteBody): bigint | null {
  const deposit = deposits.find((row) => row.fundingKey === request.fundingKey);
  if (swapIn === undefined || deposit?.paidWith == null) return null;
  const paid = JSON.parse(deposit.paidWith) as { readonly currency: string; readonly amount: string };
  return paid.currency === swapIn.side.currency ? BigInt(paid.amount) : null;
}

/** True for what the quote asks for; anything else can only be refunded. */
export function isAsQuoted({ origin }: QuoteBody, chainId: ChainId, currency: string): boolean {
  return chainId === origin.chainId && currency === origin.currency;
}

/** In the currency it was paid in. The quoted currency has the quote's price; any other the price at observation. */
export function depositView(
  { request, deposits }: RequestView,
  body: QuoteBody,
  origin: PricedSide,
  chains: ReadonlyMap<ChainId, ChainCodec>,
  { chainId, currency, amount }: { readonly chainId: ChainId; readonly currency: string; readonly amount: bigint },
): AmountView {
  if (isAsQuoted(body, chainId, currency)) return amountView(origin.view, amount, origin.usd);
  const view = sideView({ chainId, currency, symbol: '', decimals: 0 }, chains);
  const deposit = deposits.find((row) => row.fundingKey === request.fundingKey);
  const unpriced = amountView(view, amount, null);
  const isSame = deposit?.chainId === chainId && deposit.currency === currency;
  if (!isSame || deposit.valueUsd === 0 || deposit.amount === 0n) return unpriced;
  const microUsd = divide(BigInt(deposit.valueUsd) * amount, deposit.amount, 'half');
  return { ...unpriced, amountUsd: microUsdText(microUsd) };
}
