import type { OrderId } from '../contract/ids.js';
import { divide } from './decimal.js';
import { minimumAmount } from './fees.js';
import { bytesToHex } from './hex.js';
import { keccak256 } from './keccak.js';
import { convert } from './money.js';
import type { PairPrice } from './pair-price.js';
import { BPS } from './percent.js';
import type { QuoteBody, TopUpPromise } from './quote.js';

/**
 * The id under which the native coin beside an order's output is paid. A chain that fills an id once pays it once; it is no
 * order's id, so that neither payment can be taken for the other.
 */
export function topUpId(orderId: OrderId): OrderId {
  return bytesToHex(keccak256(new TextEncoder().encode(`Gas top-up\nOrder: ${orderId}`)));
}

/** What of it is taken for the risk of its price, rounded up, and all of it: input currency, smallest unit. */
export function withSpread(value: bigint, spreadBps: number): bigint {
  return divide(value * (BPS + BigInt(spreadBps)), BPS, 'ceil');
}

export type TopUpNow =
  | { readonly ok: true; readonly amount: bigint }
  /** Less than the least that was promised. */
  | { readonly ok: false };

/** Prices of one asset from two sources differ by as much without anything having happened. */
const SAME_ASSET_BPS = 10n;

/**
 * Native coin that goes out for a part of a deposit, at the prices of now. As of a fill, what was promised is kept to the unit
 * while the price moved by no more than what was taken for that; beyond, it is what the same part buys now, and never more than
 * was promised. A fixed rate fixes the output alone.
 *
 * @param covers part of the deposit, its gas included.
 * @param now USD per whole unit of the deposit's currency and of the coin.
 */
export function topUpNow(
  { terms }: Pick<QuoteBody, 'terms'>,
  promise: TopUpPromise,
  covers: bigint,
  now: PairPrice,
): TopUpNow {
  const promised = BigInt(promise.amount);
  const value = covers - BigInt(terms.topUp?.gas ?? '0');
  const bought = value <= 0n ? 0n : convert(value, terms.inDecimals, now.inUsd, promise.decimals, now.outUsd, 'floor');
  const tolerance = promise.spreadBps === 0 ? SAME_ASSET_BPS : 0n;
  if (divide(bought * (BPS + tolerance), BPS, 'ceil') >= promised) return { ok: true, amount: promised };
  const amount = divide(bought * BPS, BPS + BigInt(promise.spreadBps), 'floor');
  return amount > 0n && amount >= BigInt(promise.minimumAmount) ? { ok: true, amount } : { ok: false };
}

/** Least of it that is delivered, under the tolerance of the client. */
export function leastTopUp(amount: bigint, slippageBps: number): bigint {
  const least = minimumAmount(amount, slippageBps);
  return least > 0n ? least : 1n;
}
