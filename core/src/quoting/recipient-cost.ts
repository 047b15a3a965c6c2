import type { CostEstimate, FillWish } from '../contract/chain-adapter.js';
import type { Clock } from '../contract/clock.js';
import { ApiError, apiError, invalidRequest } from '../errors/api-error.js';
import type { FailReason } from '../errors/fail-reasons.js';
import { amountTooLow } from './fillable.js';
import type { Priced } from './plan-stage.js';
import { leastOf } from './pricing.js';
import type { Stage } from './stage.js';
import { asked } from './within.js';

/** Calls say in other words what they failed of: of these, a token gave one for not giving its like to somebody. */
const NOT_RECEIVED: ReadonlySet<FailReason> = new Set(['DESTINATION_TOKEN_TRANSFER_REJECTED', 'BLOCKED_WALLET']);

/** Of chains where recipients have no influence on what a fill costs. */
export const NO_SAY = Promise.resolve(undefined);

type Judged = Pick<Priced, 'ask' | 'route' | 'pricing'>;

/**
 * What a fill costs where its recipient influences that, or its calls do, so that the user pays for it; undefined where neither
 * does, and in previews of plain payments, which name no recipient. Should it need more when the fill is sent, the fill is
 * refused and the deposit is paid back.
 */
export async function recipientCost(judged: Judged, clock: Clock): Promise<Stage<CostEstimate | undefined>> {
  const { ask, route, pricing } = judged;
  const { authorizations } = ask;
  const { encoded: calls, work } = ask.calls;
  const hasCalls = calls.length > 0;
  if (ask.preview && !hasCalls) return undefined;
  const cost = await triedCost(judged, clock, {
    currency: route.destination.currency.address,
    // Calls have to go with the least that may be delivered.
    amount: hasCalls ? leastOf(pricing) : pricing.amounts.amountOut,
    recipient: ask.recipient,
    ...(hasCalls ? { calls } : {}),
    ...coinOf(pricing),
    ...(authorizations.length > 0 ? { authorizations } : {}),
    ...(work === null ? {} : { callsWork: work }),
  });
  if (cost === undefined && hasCalls) return apiError('SERVICE_UNAVAILABLE', 'Calls cannot be tried now');
  return cost;
}

/** All of it: with the least of it nothing might be left, and a recipient who takes none would be found out too late. */
function coinOf({ topUp }: Judged['pricing']): Pick<FillWish, 'coin'> {
  return topUp?.promise.inFill ? { coin: { amount: BigInt(topUp.promise.amount) } } : {};
}

/** What its chain says of a fill that may be asked for; undefined where it says nothing. */
export async function triedCost(
  { ask, route, pricing }: Judged,
  clock: Clock,
  wish: FillWish,
): Promise<Stage<CostEstimate | undefined>> {
  const { chain } = route.destination;
  if (!chain.fillCost) return undefined;
  const told = await asked(clock, ask.party, (asker) => chain.fillCost?.(wish, asker) ?? NO_SAY).catch(
    () => 'failed' as const,
  );
  if (told === 'late') return apiError('REQUEST_TIMED_OUT');
  if (told === 'failed') return apiError('RPC_HTTP_ERROR');
  if (told === undefined || !('ok' in told)) return told;
  if (told.kind === 'unavailable') return apiError('RPC_HTTP_ERROR');
  if (told.least !== undefined) return amountTooLow(ask, route, pricing.terms, told.least, told.message);
  if (told.reason === 'INVALID_NONCE') return invalidRequest('authorizationList', told.message);
  const hasCalls = ask.calls.encoded.length > 0;
  const isSwap = wish.calls !== undefined && !hasCalls;
  const usual = isSwap ? 'The swap fails' : hasCalls ? 'The calls cannot be made' : 'The recipient cannot be paid';
  const what = NOT_RECEIVED.has(told.reason) ? 'The recipient cannot receive this token' : usual;
  const field = isSwap ? 'destinationCurrency' : hasCalls ? 'txs' : ask.recipientField;
  const context = { field, reason: told.message };
  return new ApiError('DESTINATION_TX_FAILED', `${what}: ${told.message}`, context, undefined, told);
}
