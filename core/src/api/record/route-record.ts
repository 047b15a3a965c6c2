import type { ChainAdapter } from '../../contract/chain-adapter.js';
import type { ChainId } from '../../contract/ids.js';
import { rateText } from '../../domain/percent.js';
import type { QuoteBody } from '../../domain/quote.js';
import { type AmountView, amountView } from '../../quoting/currency-view.js';
import type { Actual } from './actual.js';
import { type PricedSides, sideView } from './currencies.js';

/** The solver's own leg, as public clients name it (clients.md, rule 21). */
const ROUTER = 'relay';

interface Side {
  readonly inputCurrency: AmountView;
  readonly outputCurrency: AmountView | null;
  readonly router: typeof ROUTER;
}

interface Leg {
  readonly origin: Side;
  readonly destination: Side;
}

export interface RouteRecord {
  readonly quoted: Leg;
  readonly actual: (Leg & { readonly rate: string | null }) | null;
  readonly includedSwapSources: readonly string[];
  readonly includedOriginSwapSources: readonly string[];
  readonly includedDestinationSwapSources: readonly string[];
}

/**
 * `data.route`. While a deposit was seen and nothing delivered, `actual.origin.inputCurrency` is the deposit,
 * `actual.origin.outputCurrency` is null and `actual.destination` is the quote's (interface.md, "Route actual/quoted rule").
 */
export function routeRecord(
  body: QuoteBody,
  sides: PricedSides,
  actual: Actual | null,
  chains: ReadonlyMap<ChainId, ChainAdapter>,
): RouteRecord {
  const { origin, destination } = sides;
  const paid = amountView(origin.view, BigInt(body.amountIn), origin.usd);
  const got = amountView(destination.view, BigInt(body.amountOut), destination.usd, BigInt(body.minimumAmount));
  const quoted: Leg = {
    origin: { inputCurrency: paid, outputCurrency: paid, router: ROUTER },
    destination: { inputCurrency: got, outputCurrency: got, router: ROUTER },
  };
  return {
    quoted,
    actual: actual === null ? null : actualLeg(body, sides, actual, quoted, chains),
    includedSwapSources: [],
    includedOriginSwapSources: [],
    includedDestinationSwapSources: [],
  };
}

function actualLeg(
  body: QuoteBody,
  { origin, destination }: PricedSides,
  actual: Actual,
  quoted: Leg,
  chains: ReadonlyMap<ChainId, ChainAdapter>,
): NonNullable<RouteRecord['actual']> {
  const other = actual.currencyIn !== null && actual.currencyIn !== body.origin.currency;
  const view = other
    ? sideView({ ...body.origin, currency: actual.currencyIn, symbol: '', decimals: 0 }, chains)
    : origin.view;
  const arrived = amountView(view, actual.amountIn, other ? null : origin.usd);
  if (actual.amountOut === null) {
    return {
      origin: { inputCurrency: arrived, outputCurrency: null, router: ROUTER },
      destination: quoted.destination,
      rate: null,
    };
  }
  const delivered = amountView(destination.view, actual.amountOut, destination.usd);
  return {
    origin: { inputCurrency: arrived, outputCurrency: arrived, router: ROUTER },
    destination: { inputCurrency: delivered, outputCurrency: delivered, router: ROUTER },
    rate: rateText(actual.amountIn, view.decimals, actual.amountOut, destination.view.decimals),
  };
}
