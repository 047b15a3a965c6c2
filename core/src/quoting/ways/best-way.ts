import type { ApiError } from '../../errors/api-error.js';
import { sourcesFor } from '../../liquidity/index.js';
import { badCalls } from '../calls.js';
import { deliveryOf, type Priced } from '../plan-stage.js';
import type { Route } from '../route.js';
import { refused, type Stage } from '../stage.js';
import type { ValidAsk } from '../validate.js';
import { payBySwap } from './by-swap.js';
import { payDirectly } from './direct.js';
import { noSwap } from './no-swap.js';
import type { WayDeps } from './way-deps.js';

/**
 * The greatest output, or the smallest input, after all costs: from inventory, or from another inventory currency
 * swapped by the fill. Assets of one group convert without loss, so sufficient inventory ends the search.
 */
export async function bestWay(ask: ValidAsk, asked: Route, deps: WayDeps): Promise<Stage<Priced>> {
  const { chain, currency } = asked.destination;
  const sources =
    // A fixed rate is paid from inventory, because future pool prices cannot be promised.
    chain.capabilities.destinationCalls === undefined || ask.fixedRate !== null
      ? []
      : sourcesFor(deps.liquidity(), chain.facts.id, ask.swaps.rules, ask.calls.encoded.length === 0);
  // Calls that spend a top-up's coin are made with inventory.
  if (ask.calls.coin > 0n)
    return ask.swaps.only
      ? badCalls('txs', 'must have no value where the output is exchanged (useExternalLiquidity)')
      : payDirectly(ask, asked, deps);
  if (ask.swaps.only)
    return sources.length > 0 ? payBySwap(ask, asked, sources, deps) : noSwap(undefined, 'useExternalLiquidity');
  if (sources.length === 0) return payDirectly(ask, asked, deps);
  const holdsNone = deps.engine.available(chain.facts.id, currency.address) === 0n;
  const direct = holdsNone ? undefined : await payDirectly(ask, asked, deps);
  if (direct !== undefined && (refused(direct) ? !isShort(direct) : asked.sameGroup)) return direct;
  const swapped = await payBySwap(ask, asked, sources, deps);
  if (direct === undefined || refused(direct)) {
    if (!refused(swapped) || !NO_WAY.has(swapped.code)) return swapped;
    const lacking = direct ?? (await payDirectly(ask, asked, deps));
    return refused(lacking) && lacking.code !== 'INSUFFICIENT_LIQUIDITY' ? swapped : lacking;
  }
  return refused(swapped) || !isBetter(swapped, direct) ? direct : swapped;
}

const NO_WAY: ReadonlySet<string> = new Set(['NO_SWAP_ROUTES_FOUND', 'SWAP_QUOTE_FAILED']);

function isShort({ code, errorData }: ApiError): boolean {
  return (
    code === 'INSUFFICIENT_LIQUIDITY' && (errorData as { readonly maximum?: string } | undefined)?.maximum !== undefined
  );
}

function isBetter(one: Priced, other: Priced): boolean {
  const [more, less] =
    one.ask.tradeType === 'EXACT_INPUT'
      ? [deliveryOf(one).amount, deliveryOf(other).amount]
      : [other.pricing.amounts.amountIn, one.pricing.amounts.amountIn];
  return more > less;
}
