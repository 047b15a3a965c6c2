import type { Clock } from '../contract/clock.js';
import { laneThatSends } from '../contract/legs.js';
import { ApiError, apiError } from '../errors/api-error.js';
import type { FailReason } from '../errors/fail-reasons.js';
import type { QuoteFacts } from './body.js';
import { asked } from './within.js';

const RECIPIENT_CANNOT: ReadonlySet<FailReason> = new Set([
  'DESTINATION_TOKEN_TRANSFER_REJECTED',
  'TOKEN_NOT_TRANSFERABLE',
  'TRANSFER_FAILED',
  'BLOCKED_WALLET',
]);

/**
 * Only for currencies flagged `transferCheck`, never for previews. Other failures are left to the fill, which may
 * find the chain in another state.
 */
export async function refuseTransfer(facts: QuoteFacts, clock: Clock): Promise<ApiError | undefined> {
  const { chain, currency } = facts.route.destination;
  const signer = laneThatSends(chain.lanes, 'fill')?.signer;
  // Calls and swaps were simulated with the whole fill.
  const skips = facts.ask.preview || facts.ask.calls.encoded.length > 0 || facts.swap !== undefined;
  if (!currency.transferCheck || skips || signer === undefined) return undefined;
  const { promised, ask } = facts;
  const checked = await asked(clock, ask.caller, (asker) =>
    chain.check(
      {
        kind: 'fill',
        legId: `quote:${promised.orderId}`,
        orderId: promised.orderId,
        currency: currency.address,
        amount: facts.pricing.amounts.amountOut,
        recipient: ask.recipient,
        deadline: promised.order.output.deadline,
      },
      signer,
      asker,
    ),
  );
  if (checked === 'late') return apiError('REQUEST_TIMED_OUT');
  if (checked.ok) return undefined;
  if (checked.kind === 'unavailable') return apiError('RPC_HTTP_ERROR');
  if (!RECIPIENT_CANNOT.has(checked.reason)) return undefined;
  const message = `The recipient cannot receive this token: ${checked.message}`;
  return new ApiError('DESTINATION_TX_FAILED', message, undefined, undefined, checked);
}
