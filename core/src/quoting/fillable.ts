import { type PriceTerms, priceExactInput, priceExactOutput } from '../domain/fees.js';
import { formatUnits } from '../domain/money.js';
import { type ApiError, apiError } from '../errors/api-error.js';
import type { Pricing } from './pricing.js';
import type { Route } from './route.js';
import type { ValidAsk } from './validate.js';

/** Refuses an output that the destination could never pay, because only a refund could follow. */
export function refuseUnfillable(ask: ValidAsk, route: Route, pricing: Pricing): ApiError | undefined {
  const { chain, currency } = route.destination;
  const wish = { currency: currency.address, amount: pricing.amounts.amountOut, recipient: ask.recipient };
  const refusal = chain.refuseFill?.(wish);
  if (refusal === undefined) return undefined;
  const { message } = refusal;
  if (refusal.why === 'amount') return amountTooLow(ask, route, pricing.terms, refusal.least, message);
  if (refusal.why === 'currency') {
    const context = { field: 'destinationCurrency', reason: message };
    return apiError('UNSUPPORTED_CURRENCY', `Nothing can be paid out in this currency: ${message}`, context);
  }
  if (ask.preview || chain.facts.burnAddresses.includes(ask.recipient)) return undefined;
  const context = { field: ask.recipientField, reason: message };
  return apiError('INVALID_RECIPIENT', `The recipient cannot be paid: ${message}`, context);
}

/**
 * AMOUNT_TOO_LOW with the minimum amount of the side that the ask fixes, at current prices.
 *
 * @param least output that could be paid, smallest unit.
 * @param why the amount is too low.
 */
export function amountTooLow(
  ask: Pick<ValidAsk, 'tradeType'>,
  route: Route,
  terms: PriceTerms,
  least: bigint,
  why: string,
): ApiError {
  const priced = priceExactOutput(least, terms);
  return tooLow(ask, route, { output: least, input: priced.ok ? priced.amounts.amountIn : undefined }, why);
}

/** As `amountTooLow`, for the least input that has to arrive. */
export function depositTooLow(
  ask: Pick<ValidAsk, 'tradeType'>,
  route: Route,
  terms: PriceTerms,
  least: bigint,
  why: string,
): ApiError {
  const priced = priceExactInput(least, terms);
  const bought = priced.ok ? priced.amounts.amountOut : 0n;
  // Rounded down: what buys it may be less than the least.
  const back = priceExactOutput(bought, terms);
  const output = back.ok && back.amounts.amountIn < least ? bought + 1n : bought;
  return tooLow(ask, route, { output, input: least }, why);
}

function tooLow(
  ask: Pick<ValidAsk, 'tradeType'>,
  route: Route,
  { output, input }: { readonly output: bigint; readonly input: bigint | undefined },
  why: string,
): ApiError {
  const exactInput = ask.tradeType === 'EXACT_INPUT';
  const { currency, chain } = exactInput ? route.origin : route.destination;
  const arriving = exactInput ? input : undefined;
  const minimum =
    arriving === undefined ? output : (chain.transferFee?.(currency.address)?.sentFor(arriving) ?? arriving);
  const reason = `must be at least ${minimum} (${formatUnits(minimum, currency.decimals)} ${currency.symbol})`;
  return apiError('AMOUNT_TOO_LOW', `The amount ${reason}: ${why}`, {
    field: 'amount',
    reason,
    minimum: minimum.toString(),
  });
}
