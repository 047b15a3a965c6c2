import type { ChainAdapter } from '../../contract/chain-adapter.js';
import type { RefundLeg } from '../../contract/legs.js';
import type { SwapWish } from '../../contract/liquidity.js';
import type { LegRow } from '../../contract/store-rows.js';
import { minimumAmount } from '../../domain/fees.js';
import { buildCalls, type FoundSwap, searchSwaps, sourcesFor } from '../../liquidity/index.js';
import type { EngineContext } from '../base/context.js';
import type { Refused } from '../base/leg-rules.js';
import { lossBps } from '../books/loss.js';
import { AS_DEPOSITED, type SwapBack } from '../books/swap-back.js';

const SEARCH_TIMEOUT_MS = 2_000;
const MAX_BUILT_ROUTES = 3;

/**
 * A refund with an exchange that pools allow now, or why the deposited currency is refunded. A pool manipulator gains
 * at most the client's tolerance; the output is never below market value less the operator's bound.
 */
export async function withExchange(
  context: EngineContext,
  chain: ChainAdapter,
  leg: LegRow,
  whole: RefundLeg,
  { swapIn, slippageBps }: SwapBack,
): Promise<RefundLeg | Refused> {
  const deposits = chain.capabilities.payerSwaps?.deposits;
  const { currency } = swapIn.side;
  if (deposits === undefined) return refused('the chain swaps nothing now');
  if (chain.currency(currency) === undefined) return refused(`${swapIn.side.symbol} is not listed any more`);
  const { clock, policy } = context;
  const sources = sourcesFor(context.liquidity(), chain.facts.id, swapIn.rules, true);
  const wish: SwapWish = {
    ...{ chainId: leg.chainId, input: leg.currency, output: currency, kind: 'exactInput', amount: whole.amount },
    ...(swapIn.rules.maxHops === undefined ? {} : { maxHops: swapIn.rules.maxHops }),
  };
  const search = await searchSwaps(sources, wish, {
    clock,
    patienceMs: SEARCH_TIMEOUT_MS,
    costOf: () => 0n,
    isPaid: true,
  });
  if (!search.ok) return refused(search.message, search.why === 'unavailable' && mayWait(context, leg));
  const [best] = search.found as readonly [FoundSwap, ...FoundSwap[]];
  const lost = swapIn.anyImpact ? 0 : lossBps(context, leg.chainId, best.wish, best.quote);
  if (lost === undefined) return refused('its price is not known now', mayWait(context, leg));
  if (lost > policy.swaps.mostImpactBps)
    return refused(`the pools take ${lost} hundredths of a per cent of its value now`);
  const least = minimumAmount(best.quote.amountOut, slippageBps);
  if (least === 0n) return refused('the swap would return nothing');
  const output = { currency, least };
  const { useKey, recipient } = whole;
  const payer = deposits.refundAccount({ signer: leg.signer, useKey, recipient, output });
  let why = 'no source builds it';
  for (const found of search.found.filter(({ quote }) => quote.amountOut >= least).slice(0, MAX_BUILT_ROUTES)) {
    const waiting = { clock, patienceMs: SEARCH_TIMEOUT_MS, isPaid: true } as const;
    const built = await buildCalls(chain, found, { payer, recipient, limit: least }, waiting);
    if (built.ok) return { ...whole, exchange: { output, calls: built.calls } };
    why = built.message;
  }
  return refused(why);
}

function mayWait({ clock, policy }: EngineContext, { createdAt }: LegRow): boolean {
  return clock.now() - createdAt < policy.giveUpShortMs;
}

function refused(message: string, waits = false): Refused {
  return { ok: false, kind: waits ? 'unavailable' : 'refused', reason: AS_DEPOSITED, message };
}
