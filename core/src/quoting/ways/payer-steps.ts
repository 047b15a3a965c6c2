import type { DestinationCall } from '../../contract/chain-capabilities.js';
import type { DepositStep } from '../../contract/deposits.js';
import type { PayerSwapTerms } from '../../domain/payer-swap.js';
import type { SwapRules } from '../../domain/swap-out.js';
import { type ApiError, apiError } from '../../errors/api-error.js';
import { buildCalls, type FoundSwap } from '../../liquidity/index.js';
import type { QuoteFacts } from '../body.js';
import type { Stage } from '../stage.js';
import type { ValidAsk } from '../validate.js';
import type { OriginSwap } from './origin-swap.js';
import type { PayerWay } from './payer-way.js';
import type { WayDeps } from './way-deps.js';

const LOOKUP_TIMEOUT_MS = 1_500;

/** Steps with the source's calls for the executing account. SWAP_QUOTE_FAILED: the source no longer offers the swap. */
export async function payerSteps(
  facts: QuoteFacts,
  own: PayerWay,
  { clock }: Pick<WayDeps, 'clock'>,
): Promise<Stage<readonly DepositStep[]>> {
  const { ask, route, pricing, promised } = facts;
  const { payerSwaps } = route.origin.chain.capabilities;
  if (payerSwaps === undefined) throw new Error('a chain without own swaps was to have one');
  const payer = payerSwaps.account(promised.orderId, ask.user);
  let calls: readonly DestinationCall[] = [];
  if (own.found) {
    const parties = { payer, recipient: ask.recipient, limit: own.limit };
    const built = await buildCalls(route.origin.chain, own.found, parties, { clock, patienceMs: LOOKUP_TIMEOUT_MS });
    if (!built.ok) return moved(built.message);
    calls = built.calls;
  }
  return payerSwaps.steps({
    orderId: promised.orderId,
    payer: ask.user,
    recipient: ask.recipient,
    input: route.origin.currency.address,
    amountIn: pricing.amounts.amountIn,
    output: route.destination.currency.address,
    least: pricing.minimum,
    deadline: deadlineOf(facts),
    fee: own.fee,
    calls,
  });
}

/** Approvals of the input, then the swap, whose calls send its output to the depositing contract. */
export async function swapInSteps(
  facts: QuoteFacts,
  { end, amount, least, found }: OriginSwap,
  { clock }: Pick<WayDeps, 'clock'>,
): Promise<Stage<readonly DepositStep[]>> {
  const { ask, route, promised } = facts;
  const { payerSwaps } = end.chain.capabilities;
  if (payerSwaps?.deposits === undefined) throw new Error('a chain without swaps into its depository was to have one');
  const { deposits } = payerSwaps;
  const { orderId } = promised;
  const parties = {
    payer: payerSwaps.account(orderId, ask.user),
    recipient: deposits.depositor,
    limit: found.wish.kind === 'exactInput' ? least : amount,
  };
  const built = await buildCalls(end.chain, found, parties, { clock, patienceMs: LOOKUP_TIMEOUT_MS });
  if (!built.ok) return moved(built.message);
  return deposits.steps({
    ...{ orderId, payer: ask.user, input: end.currency.address, amountIn: amount },
    ...{ output: route.origin.currency.address, least, deadline: deadlineOf(facts), calls: built.calls },
  });
}

/** Unix seconds. */
function deadlineOf({ promised: { deadlineAt, ttlAt } }: QuoteFacts): number {
  return Math.floor(Math.min(deadlineAt, ttlAt ?? Number.POSITIVE_INFINITY) / 1000);
}

function moved(why: string): ApiError {
  return apiError('SWAP_QUOTE_FAILED', `The source of the swap does not offer it any more: ask again (${why})`);
}

/** The ask without this way's source. Undefined if nothing was swapped. */
export function withoutSource(ask: ValidAsk, { found }: PayerWay): ValidAsk | undefined {
  return found === null ? undefined : { ...ask, swaps: { ...ask.swaps, rules: without(ask.swaps.rules, found) } };
}

export function withoutOriginSource(ask: ValidAsk, { found }: OriginSwap): ValidAsk | undefined {
  const { originRules } = ask.swaps;
  return originRules === null
    ? undefined
    : { ...ask, swaps: { ...ask.swaps, originRules: without(originRules, found) } };
}

function without(rules: SwapRules, { source }: FoundSwap): SwapRules {
  return { ...rules, excluded: [...(rules.excluded ?? []), source.id.toLowerCase()] };
}

export function payerTermsOf({ found, fee }: PayerWay, { amounts }: QuoteFacts['pricing']): PayerSwapTerms {
  return {
    fee: (fee?.amount ?? 0n).toString(),
    feeTo: fee?.to ?? null,
    appFees: amounts.app.map(String),
    sources: found ? [found.source.id] : [],
  };
}
