import { valueMicroUsd } from '../domain/money.js';
import { type ApiError, apiError } from '../errors/api-error.js';
import type { QuotingDeps } from './quoting-deps.js';
import type { Route } from './route.js';
import type { ValidAsk } from './validate.js';

const MIN_SWAP_MICRO_USD = 50_000n;

/** Limit: 0.05 USD. Wrapping, sending and calls are exempt. */
export function refuseTinySwap(
  ask: ValidAsk,
  route: Route,
  { prices }: Pick<QuotingDeps, 'prices'>,
): ApiError | undefined {
  if (route.requestType !== 'Same-chain Swap') return undefined;
  const { currency } = ask.tradeType === 'EXACT_INPUT' ? route.origin : route.destination;
  const price = prices.price(currency);
  if (ask.amount === 0n || !price.ok) return undefined;
  if (valueMicroUsd(ask.amount, currency.decimals, price.usd, 'floor') >= MIN_SWAP_MICRO_USD) return undefined;
  return apiError('AMOUNT_TOO_LOW', 'The minimum value of a swap on one chain is 0.05 USD', {
    field: 'amount',
    reason: 'worth less than 0.05 USD',
  });
}
