import { rateText } from '../../domain/percent.js';
import type { QuoteBody } from '../../domain/quote.js';
import { type AmountView, amountView } from '../../quoting/currency-view.js';
import { type Actual, usedOf } from './actual.js';
import type { PricedSides } from './currencies.js';

/** The solver's own leg, as public clients call it. */
const ROUTER = 'relay';

interface Side {
  readonly inputCurrency: AmountView;
  readonly outputCurrency: AmountView | null;
  /** `relay`, or the liquidity source. */
  readonly router: string;
  /** Destination only: native coin in addition to the output; absent if there is none. */
  readonly currencyGasTopup?: AmountView;
}

interface Leg {
  readonly origin: Side;
  readonly destination: Side;
}

interface Came {
  readonly paid: AmountView;
  readonly arrived: AmountView;
}

export interface RouteRecord {
  readonly quoted: Leg;
  readonly actual: (Leg & { readonly rate: string | null }) | null;
  readonly includedSwapSources: readonly string[];
  readonly includedOriginSwapSources: readonly string[];
  readonly includedDestinationSwapSources: readonly string[];
}

/**
 * Between deposit and delivery, `actual.origin.outputCurrency` is null and `actual.destination` is the quote's.
 *
 * @param came the deposit on the chain and in the currency of its arrival, and what its payer gave for it.
 */
export function routeRecord(body: QuoteBody, sides: PricedSides, actual: Actual | null, came: Came): RouteRecord {
  const { payerSwap } = body;
  if (payerSwap) return payerSwapRoute(body, sides, actual, payerSwap.sources);
  const { origin, destination } = sides;
  const { swapIn, swapOut } = body;
  const deposit = amountView(origin.view, BigInt(body.amountIn), origin.usd, swapIn && BigInt(swapIn.least));
  const given = swapIn?.amount ?? body.sent;
  const paid = given === undefined ? deposit : amountView(sides.paid.view, BigInt(given), sides.paid.usd);
  const gives = amountView(sides.given.view, BigInt(body.amountOut), sides.given.usd, BigInt(body.minimumAmount));
  const gets =
    swapOut === undefined
      ? gives
      : amountView(destination.view, BigInt(swapOut.expected), destination.usd, BigInt(swapOut.least));
  const quoted: Leg = {
    origin: { inputCurrency: paid, outputCurrency: deposit, router: swapIn?.source ?? ROUTER },
    destination: {
      ...{ inputCurrency: gives, outputCurrency: gets, router: swapOut?.source ?? ROUTER },
      ...topUpOf(body, sides, null),
    },
  };
  const ins = swapIn === undefined ? [] : [swapIn.source];
  const outs = swapOut === undefined ? [] : [swapOut.source];
  return {
    quoted,
    actual: actual === null ? null : actualLeg(body, sides, actual, came, quoted),
    includedSwapSources: [...new Set([...ins, ...outs])],
    includedOriginSwapSources: ins,
    includedDestinationSwapSources: outs,
  };
}

/** One transaction of the payer in one place: all on the origin side. */
function payerSwapRoute(
  body: QuoteBody,
  { origin, given }: PricedSides,
  actual: Actual | null,
  sources: readonly string[],
): RouteRecord {
  const router = sources[0] ?? ROUTER;
  const leg = (amountIn: bigint, amountOut: bigint, least?: bigint): Leg => {
    const got = amountView(given.view, amountOut, given.usd, least);
    const paid = amountView(origin.view, amountIn, origin.usd);
    return {
      origin: { inputCurrency: paid, outputCurrency: got, router },
      destination: { inputCurrency: got, outputCurrency: got, router },
    };
  };
  const done = actual === null || actual.amountOut === null ? null : { ...actual, amountOut: actual.amountOut };
  const rate = done && rateText(done.amountIn, origin.view.decimals, done.amountOut, given.view.decimals);
  return {
    quoted: leg(BigInt(body.amountIn), BigInt(body.amountOut), BigInt(body.minimumAmount)),
    actual: done && { ...leg(done.amountIn, done.amountOut), rate },
    includedSwapSources: sources,
    includedOriginSwapSources: sources,
    includedDestinationSwapSources: [],
  };
}

function actualLeg(
  body: QuoteBody,
  sides: PricedSides,
  actual: Actual,
  { paid, arrived }: Came,
  quoted: Leg,
): NonNullable<RouteRecord['actual']> {
  const { origin, given, destination } = sides;
  const router = paid === arrived ? ROUTER : quoted.origin.router;
  if (actual.amountOut === null) {
    return {
      origin: { inputCurrency: paid, outputCurrency: null, router },
      destination: quoted.destination,
      rate: null,
    };
  }
  const used = usedOf(body, actual);
  const input: [bigint, number] =
    paid === arrived ? [used, origin.view.decimals] : [BigInt(paid.amount), paid.currency.decimals];
  const swapped = body.swapOut !== undefined && actual.given !== null;
  // A fallback was delivered as the solver gave it.
  const side = swapped ? destination : given;
  const delivered = amountView(side.view, actual.amountOut, side.usd);
  const gave = actual.given === null ? delivered : amountView(given.view, actual.given, given.usd);
  return {
    origin: {
      inputCurrency: paid,
      outputCurrency: used === actual.amountIn ? arrived : amountView(origin.view, used, origin.usd),
      router,
    },
    destination: {
      inputCurrency: gave,
      outputCurrency: delivered,
      router: swapped ? quoted.destination.router : ROUTER,
      ...(actual.topUp === null ? {} : topUpOf(body, sides, actual.topUp)),
    },
    rate: rateText(...input, actual.amountOut, side.view.decimals),
  };
}

/** @param delivered null before delivery: then the quoted amount. */
function topUpOf(
  { topUp }: QuoteBody,
  { topUp: priced }: PricedSides,
  delivered: bigint | null,
): Pick<Side, 'currencyGasTopup'> {
  if (topUp === undefined || priced === null) return {};
  const view =
    delivered === null
      ? amountView(priced.view, BigInt(topUp.amount), priced.usd, BigInt(topUp.minimumAmount))
      : amountView(priced.view, delivered, priced.usd);
  return { currencyGasTopup: view };
}
