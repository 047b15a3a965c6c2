import type { CostEstimate } from '../contract/chain-adapter.js';
import type { Clock } from '../contract/clock.js';
import { ApiError, apiError, invalidRequest } from '../errors/api-error.js';
import { amountTooLow } from './fillable.js';
import { leastOf, type Pricing } from './pricing.js';
import type { Route } from './route.js';
import type { Stage } from './stage.js';
import type { ValidAsk } from './validate.js';
import { within } from './within.js';

/**
 * What a fill costs where its recipient influences that, or its calls do, so that the user pays for it; undefined where neither
 * does, and in previews of plain payments, which name no recipient. Should it need more when the fill is sent, the fill is
 * refused and the deposit is paid back.
 */
export async function recipientCost(
  { ask, route, pricing }: { readonly ask: ValidAsk; readonly route: Route; readonly pricing: Pricing },
  clock: Clock,
): Promise<Stage<CostEstimate | undefined>> {
  const { chain, currency } = route.destination;
  const { authorizations } = ask;
  const { encoded: calls, work } = ask.calls;
  const hasCalls = calls.length > 0;
  if (!chain.fillCost || (ask.preview && !hasCalls)) return undefined;
  const wish = {
    currency: currency.address,
    // Calls have to go with the least that may be delivered.
    amount: hasCalls ? leastOf(pricing) : pricing.amounts.amountOut,
    recipient: ask.recipient,
    ...(hasCalls ? { calls } : {}),
    ...(authorizations.length > 0 ? { authorizations } : {}),
    ...(work === null ? {} : { callsWork: work }),
  };
  const told = await within(clock, chain.fillCost(wish)).catch(() => 'failed' as const);
  if (told === 'late') return apiError('REQUEST_TIMED_OUT');
  if (told === 'failed') return apiError('RPC_HTTP_ERROR');
  if (told === undefined && hasCalls) return apiError('SERVICE_UNAVAILABLE', 'Calls cannot be tried now');
  if (told === undefined || !('ok' in told)) return told;
  if (told.kind === 'unavailable') return apiError('RPC_HTTP_ERROR');
  if (told.least !== undefined) return amountTooLow(ask, route, pricing.terms, told.least, told.message);
  if (told.reason === 'INVALID_NONCE') return invalidRequest('authorizationList', told.message);
  const what = hasCalls ? 'The calls cannot be made' : 'The recipient cannot be paid';
  const context = { field: hasCalls ? 'txs' : ask.recipientField, reason: told.message };
  return new ApiError('DESTINATION_TX_FAILED', `${what}: ${told.message}`, context, undefined, told.failedCallData);
}
