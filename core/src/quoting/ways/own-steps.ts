import type { DestinationCall } from '../../contract/chain-capabilities.js';
import type { DepositStep } from '../../contract/deposits.js';
import type { SwapBuilt, SwapParties } from '../../contract/liquidity.js';
import type { OwnSwapTerms } from '../../domain/own-swap.js';
import { apiError } from '../../errors/api-error.js';
import type { FoundSwap } from '../../liquidity/index.js';
import type { QuoteFacts } from '../body.js';
import type { Stage } from '../stage.js';
import { within } from '../within.js';
import type { OwnWay } from './own-way.js';
import type { WayDeps } from './way-deps.js';

/** What the payer signs, with the calls of the source for the account that will make them. SWAP_QUOTE_FAILED: it has moved on. */
export async function ownSteps(
  facts: QuoteFacts,
  own: OwnWay,
  { clock }: Pick<WayDeps, 'clock'>,
): Promise<Stage<readonly DepositStep[]>> {
  const { ask, route, pricing, promised } = facts;
  const { ownSwaps } = route.origin.chain.capabilities;
  if (ownSwaps === undefined) throw new Error('a chain without own swaps was to have one');
  const payer = ownSwaps.account(promised.orderId, ask.user);
  let calls: readonly DestinationCall[] = [];
  if (own.found) {
    const { source, wish } = own.found;
    const parties = { payer, recipient: ask.recipient, limit: own.limit };
    const built = await builtFor(own.found, parties, clock);
    if (built === 'late' || !built.ok)
      return apiError('SWAP_QUOTE_FAILED', 'The source of the swap does not offer it any more: ask again');
    calls = source.calls(wish, built.quote, parties);
  }
  const deadlineAt = Math.min(promised.deadlineAt, promised.ttlAt ?? Number.POSITIVE_INFINITY);
  return ownSwaps.steps({
    orderId: promised.orderId,
    payer: ask.user,
    recipient: ask.recipient,
    input: route.origin.currency.address,
    amountIn: pricing.amounts.amountIn,
    output: route.destination.currency.address,
    least: pricing.minimum,
    deadline: Math.floor(deadlineAt / 1000),
    fee: own.fee,
    calls,
  });
}

/** Sources that quote at once have nothing to build. */
async function builtFor(
  { source, wish, quote }: FoundSwap,
  parties: SwapParties,
  clock: WayDeps['clock'],
): Promise<SwapBuilt | 'late'> {
  if (source.build === undefined) return { ok: true, quote };
  const over = new AbortController();
  return within(clock, source.build(wish, quote, parties, over.signal)).finally(() => over.abort('over'));
}

/** As the order's promise keeps it. */
export function ownTermsOf({ found, fee }: OwnWay, { amounts }: QuoteFacts['pricing']): OwnSwapTerms {
  return {
    fee: (fee?.amount ?? 0n).toString(),
    feeTo: fee?.to ?? null,
    appFees: amounts.app.map(String),
    sources: found ? [found.source.id] : [],
  };
}
