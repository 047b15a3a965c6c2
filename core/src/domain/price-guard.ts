import { divide } from './decimal.js';
import { type PriceTerms, priceExactInput } from './fees.js';
import type { PairPrice } from './pair-price.js';
import { BPS } from './percent.js';
import type { QuoteBody } from './quote.js';
import { sponsorAt } from './sponsored-fees.js';

type Promised = Pick<QuoteBody, 'terms' | 'spreadBps' | 'minimumAmount'>;

export interface PromisedFill {
  readonly covers: bigint;
  readonly amountOut: bigint;
}

export type Guarded = { readonly ok: true; readonly amountOut: bigint } | { readonly ok: false };

/** Normal difference of one asset's price between two sources. */
const SAME_ASSET_BPS = 10n;

/**
 * Within the spread charged for it, a promise is exact; beyond, it is priced again and paid if at least
 * `minimumAmount` comes out. So a quote is no free option. After a move in the payer's favour, the quoted amount is
 * paid.
 *
 * Not used for a fixed rate (`isFirm`).
 */
export function guardPrice(quote: Promised, promised: PromisedFill, now: PairPrice): Guarded {
  const { terms, spreadBps = 0 } = quote;
  const { covers, amountOut } = promised;
  // guard: price-when-decided
  if (now.inUsd === terms.inUsd && now.outUsd === terms.outUsd) return { ok: true, amountOut };
  const moved: PriceTerms = { ...terms, ...now, ...sponsorAt(terms, now.inUsd, sponsoredBefore(terms, covers)) };
  const fair = priceExactInput(covers, { ...moved, serviceBps: terms.serviceBps - spreadBps });
  const tolerance = spreadBps === 0 ? SAME_ASSET_BPS : 0n;
  if (fair.ok && divide(fair.amounts.amountOut * (BPS + tolerance), BPS, 'ceil') >= amountOut)
    return { ok: true, amountOut };
  const again = priceExactInput(covers, moved);
  if (!again.ok || again.amounts.amountOut < BigInt(quote.minimumAmount)) return { ok: false };
  return { ok: true, amountOut: again.amounts.amountOut < amountOut ? again.amounts.amountOut : amountOut };
}

/** The sponsor pays what was promised of the fees, spread included, whether or not the spread is still charged. */
function sponsoredBefore(terms: PriceTerms, covers: bigint): bigint {
  const priced = terms.sponsor && priceExactInput(covers, terms);
  return (priced?.ok ? priced.amounts.sponsored : undefined) ?? 0n;
}
