import type { CostEstimate, FillWish } from '../../contract/chain-adapter.js';
import { apiError } from '../../errors/api-error.js';
import { type FoundSwap, swapCalls } from '../../liquidity/index.js';
import type { Priced } from '../plan-stage.js';
import { triedCost } from '../recipient-cost.js';
import { refused, type Stage } from '../stage.js';
import type { ValidAsk } from '../validate.js';
import type { DestinationSwap } from './destination-swap.js';
import type { WayDeps } from './way-deps.js';

const SEARCH_TIMEOUT_MS = 1_500;

/** Simulated as it will be sent; nothing is promised without simulation. */
export async function trySwap(
  ask: ValidAsk,
  priced: Omit<Priced, 'ask'>,
  { found, least }: Pick<DestinationSwap, 'found' | 'least'>,
  { clock, random }: Pick<WayDeps, 'clock' | 'random'>,
): Promise<Stage<CostEstimate>> {
  const { chain } = priced.route.destination;
  const orderId = random.hex(32);
  const { encoded, work } = ask.calls;
  const made = await swapCalls(chain, found, {
    ...{ orderId, recipient: ask.recipient, least, calls: encoded },
    ...{ clock, patienceMs: SEARCH_TIMEOUT_MS },
  });
  if (!made.ok) return apiError('SWAP_QUOTE_FAILED', `The swap cannot be made now: ${made.message}`);
  const { ok: _, ...swap } = made;
  const wish: FillWish = {
    currency: found.wish.input,
    amount: found.wish.amount,
    recipient: ask.recipient,
    orderId,
    ...swap,
    ...(encoded.length > 0 || found.source.isMeasured ? {} : { way: wayOf(found) }),
    ...(ask.authorizations.length > 0 ? { authorizations: ask.authorizations } : {}),
    ...(work === null ? {} : { callsWork: work }),
  };
  const cost = await triedCost({ ...priced, ask }, clock, wish);
  if (refused(cost)) return cost;
  return cost ?? apiError('SERVICE_UNAVAILABLE', 'Swaps cannot be tried now');
}

/** Ways through the same currencies with the same work use the same or equally costly pools. */
function wayOf({ source, quote }: FoundSwap): string {
  return `${source.id}:${quote.route.join('>')}:${quote.work}`;
}
