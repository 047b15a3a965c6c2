import type { ChainCodec } from '../../contract/chain-adapter.js';
import type { ChainId } from '../../contract/ids.js';
import { isPrice } from '../../domain/money.js';
import type { QuoteBody, QuoteSide } from '../../domain/quote.js';
import { type CurrencyView, currencyView } from '../../quoting/currency-view.js';

export interface PricedSide {
  readonly view: CurrencyView;
  /** USD per whole unit at quote time; null without a quote. */
  readonly usd: string | null;
}

export interface PricedSides {
  /** What the payer pays with, unless a swap comes before. */
  readonly origin: PricedSide;
  readonly paid: PricedSide;
  /** What the recipient gets, unless a swap comes after. */
  readonly given: PricedSide;
  readonly destination: PricedSide;
  /** Native coin in addition to the output; null if there is none. */
  readonly topUp: PricedSide | null;
}

export function pricedSides(body: QuoteBody, chains: ReadonlyMap<ChainId, ChainCodec>): PricedSides {
  const { terms, swapIn, swapOut, topUp } = body;
  const origin = { view: sideView(body.origin, chains), usd: isPrice(terms.inUsd) ? terms.inUsd : null };
  const given = { view: sideView(body.destination, chains), usd: isPrice(terms.outUsd) ? terms.outUsd : null };
  return {
    topUp:
      topUp === undefined
        ? null
        : { view: sideView({ ...topUp, chainId: body.destination.chainId }, chains), usd: topUp.usd },
    origin,
    paid: swapIn === undefined ? origin : { view: sideView(swapIn.side, chains), usd: swapIn.usd },
    given,
    destination: swapOut === undefined ? given : { view: sideView(swapOut.side, chains), usd: swapOut.usd },
  };
}

/** Currency data from the config, or from the quote if the config no longer has the currency. */
export function sideView(side: QuoteSide, chains: ReadonlyMap<ChainId, ChainCodec>): CurrencyView {
  const known = chains.get(side.chainId)?.currency(side.currency);
  if (known) return currencyView(known);
  return {
    chainId: side.chainId,
    address: side.currency,
    symbol: side.symbol,
    name: side.symbol,
    decimals: side.decimals,
    metadata: { logoURI: '', verified: false, isNative: false },
  };
}
