import type { ChainAdapter } from '../../contract/chain-adapter.js';
import type { FillLeg } from '../../contract/legs.js';
import type { LiquiditySource } from '../../contract/liquidity.js';
import type { LegRow } from '../../contract/store-rows.js';
import { divide } from '../../domain/decimal.js';
import { BPS } from '../../domain/percent.js';
import type { QuoteBody } from '../../domain/quote.js';
import type { SwapOut } from '../../domain/swap-out.js';
import type { FailReason } from '../../errors/fail-reasons.js';
import { type FoundSwap, type SwapSearch, searchSwaps, sourcesFor, swapCalls } from '../../liquidity/index.js';
import type { EngineContext } from '../base/context.js';
import { FALLBACK } from '../base/leg-marks.js';
import type { Refused } from '../base/leg-rules.js';
import { lossBps } from '../books/loss.js';

const SEARCH_TIMEOUT_MS = 2_000;
const MAX_BUILT_ROUTES = 3;

/** A fill that fell back exchanges nothing. */
export function swapsIn({ swapOut }: Pick<QuoteBody, 'swapOut'>, leg: Pick<LegRow, 'reason'>): SwapOut | undefined {
  return leg.reason === FALLBACK ? undefined : swapOut;
}

/**
 * Any route of the pools that yields the promised minimum will do.
 *
 * Invariant: a bound leg keeps its amount, by which its attempts are recognised.
 *
 * @param late the deposit came after the quote expired.
 */
export async function withSwap(
  context: EngineContext,
  chain: ChainAdapter,
  leg: LegRow,
  whole: FillLeg,
  { order, slippageBps }: Pick<QuoteBody, 'order' | 'slippageBps'>,
  swapOut: SwapOut,
  late: boolean,
): Promise<FillLeg | Refused> {
  const { calls } = order.output;
  const sources = sourcesFor(context.liquidity(), chain.facts.id, swapOut.rules, calls.length === 0);
  const least = BigInt(late ? (swapOut.lateLeast ?? swapOut.least) : swapOut.least);
  const amount =
    swapOut.exact && /* guard: bound-swap-keeps-amount */ leg.state !== 'bound'
      ? await enoughFor(context, sources, leg, swapOut, least, slippageBps)
      : leg.amount;
  const search = await find(context, sources, leg, swapOut, 'exactInput', amount);
  if (!search.ok) return refusalOf(context, leg, search);
  const enough = search.found.filter(({ quote }) => /* guard: fill-swap-minimum */ quote.amountOut >= least);
  if (enough.length === 0) {
    const { amountOut } = search.found[0]?.quote ?? { amountOut: 0n };
    return refused('SLIPPAGE', `the pools give ${amountOut} now, and no less than ${least} may be delivered`);
  }
  const pair = { input: leg.currency, output: swapOut.side.currency };
  const lostBy = ({ quote: { amountOut } }: FoundSwap) =>
    lossBps(context, leg.chainId, pair, { amountIn: amount, amountOut }) ?? 0;
  const most = context.policy.swaps.mostImpactBps;
  const fitting = swapOut.anyImpact ? enough : enough.filter((found) => lostBy(found) <= most);
  if (fitting.length === 0) {
    const lost = Math.min(...enough.map(lostBy));
    return refused('SWAP_IMPACT_TOO_HIGH', `the pools take ${lost} hundredths of a per cent of its value now`);
  }
  const terms = { orderId: whole.orderId, recipient: leg.recipient, least, calls, clock: context.clock };
  let why = 'no source builds it';
  let failing: FillLeg | undefined;
  for (const [n, found] of fitting.slice(0, MAX_BUILT_ROUTES).entries()) {
    const made = await swapCalls(chain, found, { ...terms, patienceMs: SEARCH_TIMEOUT_MS, isPaid: true });
    if (made.ok) {
      const { ok: _, ...swap } = made;
      const fill = { ...whole, amount, ...swap };
      const isTried = fitting.length > 1 && (found.source.isMeasured || n > 0);
      if (!isTried || (await goes(context, chain, leg, fill))) return fill;
      failing ??= fill;
    } else why = made.message;
  }
  // The chain's verdict on the failing fill decides about the leg.
  return failing ?? refusalOf(context, leg, { ok: false, why: 'unavailable', message: why });
}

/** Calls built by others are tried first: a source that promises too much must not block another. */
async function goes({ kinds }: EngineContext, chain: ChainAdapter, leg: LegRow, fill: FillLeg): Promise<boolean> {
  const check = await chain.check(fill, leg.signer);
  return check.ok || check.kind === 'unavailable' || kinds.of(leg).isSpent(check);
}

/** The input that the output needs now, with half the slippage as margin; at most the leg's amount. */
async function enoughFor(
  context: EngineContext,
  sources: readonly LiquiditySource[],
  leg: LegRow,
  swapOut: SwapOut,
  least: bigint,
  slippageBps: number,
): Promise<bigint> {
  const search = await find(context, sources, leg, swapOut, 'exactOutput', least);
  const taken = search.ok ? search.found[0]?.quote.amountIn : undefined;
  if (taken === undefined) return leg.amount;
  const enough = divide(taken * (2n * BPS + BigInt(slippageBps)), 2n * BPS, 'ceil');
  return enough < leg.amount ? enough : leg.amount;
}

function find(
  { clock }: EngineContext,
  sources: readonly LiquiditySource[],
  { chainId, currency }: LegRow,
  { side, rules }: SwapOut,
  kind: 'exactInput' | 'exactOutput',
  amount: bigint,
): SwapSearch | Promise<SwapSearch> {
  const hops = rules.maxHops === undefined ? {} : { maxHops: rules.maxHops };
  const wish = { chainId, input: currency, output: side.currency, kind, amount, ...hops };
  // The work was charged already: the recipient gets the whole output.
  return searchSwaps(sources, wish, { clock, patienceMs: SEARCH_TIMEOUT_MS, costOf: () => 0n, isPaid: true });
}

function refusalOf(
  { clock, policy }: EngineContext,
  leg: LegRow,
  { why, message }: Extract<SwapSearch, { ok: false }>,
): Refused {
  if (why === 'noRoute') return refused('NO_INTERNAL_SWAP_ROUTES_FOUND', message);
  if (why === 'tooMuch') return refused('INSUFFICIENT_POOL_LIQUIDITY', message);
  const waited = clock.now() - (leg.claimedAt ?? leg.createdAt) >= policy.giveUpShortMs;
  return { ok: false, kind: waited ? 'refused' : 'unavailable', reason: 'GENERATE_SWAP_FAILED', message };
}

function refused(reason: FailReason, message: string): Refused {
  return { ok: false, kind: 'refused', reason, message };
}
