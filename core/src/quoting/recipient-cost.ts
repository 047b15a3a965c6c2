import type { CostEstimate, FillWish } from '../contract/chain-adapter.js';
import type { Clock } from '../contract/clock.js';
import { ApiError, apiError, invalidRequest } from '../errors/api-error.js';
import type { FailReason } from '../errors/fail-reasons.js';
import { amountTooLow } from './fillable.js';
import type { Priced } from './plan-stage.js';
import { leastOf } from './pricing.js';
import type { Stage } from './stage.js';
import { asked } from './within.js';

/** Fail reasons of tokens that refuse a transfer to an address; calls fail for other reasons. */
const NOT_RECEIVED: ReadonlySet<FailReason> = new Set(['DESTINATION_TOKEN_TRANSFER_REJECTED', 'BLOCKED_WALLET']);

/** For chains where recipients do not influence the cost of a fill. */
export const NO_SAY = Promise.resolve(undefined);

type Judged = Pick<Priced, 'ask' | 'route' | 'pricing'>;

/**
 * Cost of a fill if its recipient or calls influence it, charged to the user; undefined otherwise, and in previews of
 * plain payments. If the fill later needs more, it is refused and the deposit refunded.
 */
export async function recipientCost(judged: Judged, clock: Clock): Promise<Stage<CostEstimate | undefined>> {
  const { ask, route, pricing } = judged;
  const { authorizations } = ask;
  const { encoded: calls, work } = ask.calls;
  const hasCalls = calls.length > 0;
  if (ask.preview && !hasCalls) return undefined;
  const cost = await triedCost(judged, clock, {
    currency: route.destination.currency.address,
    // Calls must succeed with the minimum that may be delivered.
    amount: /* guard: calls-with-least */ hasCalls ? leastOf(pricing) : pricing.amounts.amountOut,
    recipient: ask.recipient,
    ...(hasCalls ? { calls } : {}),
    ...topUpWish(pricing),
    ...(authorizations.length > 0 ? { authorizations } : {}),
    ...(work === null ? {} : { callsWork: work }),
  });
  if (cost === undefined && hasCalls) return apiError('SERVICE_UNAVAILABLE', 'Calls cannot be tried now');
  return cost;
}

/**
 * The whole coin: with the minimum nothing might be left to pay, and a rejecting recipient would be detected too
 * late.
 */
function topUpWish({ topUp }: Judged['pricing']): Pick<FillWish, 'topUp'> {
  return topUp?.promise.inFill ? { topUp: { amount: BigInt(topUp.promise.amount) } } : {};
}

/** The chain's simulation of the fill; undefined if it has no answer. */
export async function triedCost(
  { ask, route, pricing }: Judged,
  clock: Clock,
  wish: FillWish,
): Promise<Stage<CostEstimate | undefined>> {
  const { chain } = route.destination;
  if (!chain.fillCost) return undefined;
  const reported = await asked(clock, ask.caller, (asker) => chain.fillCost?.(wish, asker) ?? NO_SAY).catch(
    () => 'failed' as const,
  );
  if (reported === 'late') return apiError('REQUEST_TIMED_OUT');
  if (reported === 'failed') return apiError('RPC_HTTP_ERROR');
  if (reported === undefined || !('ok' in reported)) return reported;
  if (reported.kind === 'unavailable') return apiError('RPC_HTTP_ERROR');
  if (reported.least !== undefined) return amountTooLow(ask, route, pricing.terms, reported.least, reported.message);
  if (reported.reason === 'INVALID_NONCE') return invalidRequest('authorizationList', reported.message);
  const hasCalls = ask.calls.encoded.length > 0;
  const isSwap = wish.calls !== undefined && !hasCalls;
  const usual = isSwap ? 'The swap fails' : hasCalls ? 'The calls cannot be made' : 'The recipient cannot be paid';
  const what = NOT_RECEIVED.has(reported.reason) ? 'The recipient cannot receive this token' : usual;
  const field = isSwap ? 'destinationCurrency' : hasCalls ? 'txs' : ask.recipientField;
  const context = { field, reason: reported.message };
  return new ApiError('DESTINATION_TX_FAILED', `${what}: ${reported.message}`, context, undefined, reported);
}
