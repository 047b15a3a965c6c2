import type { CostEstimate } from '../contract/chain-adapter.js';
import type { Clock } from '../contract/clock.js';
import { ApiError, apiError } from '../errors/api-error.js';
import { amountTooLow } from './fillable.js';
import type { Pricing } from './pricing.js';
import type { Route } from './route.js';
import type { Stage } from './stage.js';
import type { ValidAsk } from './validate.js';
import { within } from './within.js';

/**
 * What a fill costs where its recipient influences that, so that the user pays for it; undefined where no recipient does, and
 * in previews, which name none. Should the recipient need more when the fill is sent, the fill is refused and the deposit is
 * paid back.
 */
export async function recipientCost(
  { ask, route, pricing }: { readonly ask: ValidAsk; readonly route: Route; readonly pricing: Pricing },
  clock: Clock,
): Promise<Stage<CostEstimate | undefined>> {
  const { chain, currency } = route.destination;
  if (!chain.fillCost || ask.preview) return undefined;
  const wish = { currency: currency.address, amount: pricing.amounts.amountOut, recipient: ask.recipient };
  const told = await within(clock, chain.fillCost(wish)).catch(() => 'failed' as const);
  if (told === 'late') return apiError('REQUEST_TIMED_OUT');
  if (told === 'failed') return apiError('RPC_HTTP_ERROR');
  if (told === undefined || !('ok' in told)) return told;
  if (told.kind === 'unavailable') return apiError('RPC_HTTP_ERROR');
  if (told.least !== undefined) return amountTooLow(ask, route, pricing.terms, told.least, told.message);
  const message = `The recipient cannot be paid: ${told.message}`;
  const context = { field: ask.recipientField, reason: told.message };
  return new ApiError('DESTINATION_TX_FAILED', message, context, undefined, told.failedCallData);
}
