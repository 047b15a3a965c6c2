import type { ChainCodec } from '../../contract/chain-adapter.js';
import type { ChainId } from '../../contract/ids.js';
import { isPrice } from '../../domain/money.js';
import type { QuoteBody, QuoteSide } from '../../domain/quote.js';
import { type CurrencyView, currencyView } from '../../quoting/currency-view.js';

/** A side of a request as it is shown: full currency data and the price the quote was made with. */
export interface PricedSide {
  readonly view: CurrencyView;
  /** USD per whole unit at quote time; null where there was no quote to price. */
  readonly usd: string | null;
}

export interface PricedSides {
  /** What is deposited: what the payer pays with, unless a swap stands between. */
  readonly origin: PricedSide;
  readonly paid: PricedSide;
  /** What the solver gives: what the recipient gets, unless a swap stands between. */
  readonly given: PricedSide;
  readonly destination: PricedSide;
  /** Native coin beside the output; null where none is. */
  readonly coin: PricedSide | null;
}

export function pricedSides(body: QuoteBody, chains: ReadonlyMap<ChainId, ChainCodec>): PricedSides {
  const { terms, swapIn, swapOut, topUp } = body;
  const origin = { view: sideView(body.origin, chains), usd: isPrice(terms.inUsd) ? terms.inUsd : null };
  const given = { view: sideView(body.destination, chains), usd: isPrice(terms.outUsd) ? terms.outUsd : null };
  return {
    coin:
      topUp === undefined
        ? null
        : { view: sideView({ ...topUp, chainId: body.destination.chainId }, chains), usd: topUp.usd },
    origin,
    paid: swapIn === undefined ? origin : { view: sideView(swapIn.side, chains), usd: swapIn.usd },
    given,
    destination: swapOut === undefined ? given : { view: sideView(swapOut.side, chains), usd: swapOut.usd },
  };
}

/** Currency data from the config; what the quote kept where the config does not know the currency any more. */
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
