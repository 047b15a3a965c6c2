import { divide } from './decimal.js';
import { type PriceTerms, priceExactInput } from './fees.js';
import type { PairPrice } from './pair-price.js';
import { BPS } from './percent.js';
import type { QuoteBody } from './quote.js';

type Promised = Pick<QuoteBody, 'terms' | 'spreadBps' | 'minimumAmount'>;

/** What a fill was to pay out, and for how much of the input. */
export interface PromisedFill {
  readonly covers: bigint;
  readonly amountOut: bigint;
}

export type Guarded =
  | { readonly ok: true; readonly amountOut: bigint }
  /** Even at the price of now, less comes out than the least that counts as a fill. */
  | { readonly ok: false };

/** Prices of one asset from two sources differ by as much without anything having happened. */
const SAME_ASSET_BPS = 10n;

/**
 * What a promised fill pays at the prices of now. A quote is no option: while the price moved by no more than the spread that
 * was taken for it, it is kept to the unit; beyond that it is priced anew, and paid if no less than `minimumAmount` comes out.
 * A payer who deposits after the price moved in the payer's favour gets the quoted amount.
 *
 * Not asked of a fixed rate (`isFirm`).
 */
export function guardPrice(quote: Promised, promised: PromisedFill, now: PairPrice): Guarded {
  const { terms, spreadBps = 0 } = quote;
  const { covers, amountOut } = promised;
  if (now.inUsd === terms.inUsd && now.outUsd === terms.outUsd) return { ok: true, amountOut };
  const moved: PriceTerms = { ...terms, ...now };
  const fair = priceExactInput(covers, { ...moved, serviceBps: terms.serviceBps - spreadBps });
  const tolerance = spreadBps === 0 ? SAME_ASSET_BPS : 0n;
  if (fair.ok && divide(fair.amounts.amountOut * (BPS + tolerance), BPS, 'ceil') >= amountOut)
    return { ok: true, amountOut };
  const anew = priceExactInput(covers, moved);
  if (!anew.ok || anew.amounts.amountOut < BigInt(quote.minimumAmount)) return { ok: false };
  return { ok: true, amountOut: anew.amounts.amountOut < amountOut ? anew.amounts.amountOut : amountOut };
}
