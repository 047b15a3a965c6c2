import { valueMicroUsd } from '../domain/money.js';
import { type ApiError, apiError } from '../errors/api-error.js';
import type { QuotingDeps } from './quoting-deps.js';
import type { Route } from './route.js';
import type { ValidAsk } from './validate.js';

/** Least value of a swap on one chain, micro-USD. */
const LEAST_SWAP_MICRO_USD = 50_000n;

/**
 * Routes within one chain are not served. Swaps too small to be served anywhere are told so first (AMOUNT_TOO_LOW): value
 * above 0 and below 0.05 USD; wrapping and sending are exempt.
 */
export function refuseSameChain(
  ask: ValidAsk,
  route: Route,
  { prices }: Pick<QuotingDeps, 'prices'>,
): ApiError | undefined {
  if (!route.sameChain) return undefined;
  const { currency } = ask.tradeType === 'EXACT_INPUT' ? route.origin : route.destination;
  const price = prices.price(currency);
  if (route.requestType === 'Same-chain Swap' && ask.amount > 0n && price.ok) {
    const value = valueMicroUsd(ask.amount, currency.decimals, price.usd, 'floor');
    if (value < LEAST_SWAP_MICRO_USD) {
      return apiError('AMOUNT_TOO_LOW', 'The least value of a swap on one chain is 0.05 USD', {
        field: 'amount',
        reason: 'worth less than 0.05 USD',
      });
    }
  }
  return apiError('UNSUPPORTED_ROUTE', 'Origin and destination must be different chains', {
    field: 'destinationChainId',
    reason: 'same chain as the origin',
  });
}
