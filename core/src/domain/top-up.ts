import type { OrderId } from '../contract/ids.js';
import { divide } from './decimal.js';
import { minimumAmount } from './fees.js';
import { bytesToHex } from './hex.js';
import { keccak256 } from './keccak.js';
import { convert } from './money.js';
import type { PairPrice } from './pair-price.js';
import { BPS } from './percent.js';
import type { QuoteBody, TopUpPromise } from './quote.js';

/** Fill id of an order's top-up. A chain that fills an id once pays it once; it differs from every order id. */
export function topUpId(orderId: OrderId): OrderId {
  return bytesToHex(keccak256(new TextEncoder().encode(`Gas top-up\nOrder: ${orderId}`)));
}

export function withSpread(value: bigint, spreadBps: number): bigint {
  return divide(value * (BPS + BigInt(spreadBps)), BPS, 'ceil');
}

export type TopUpNow = { readonly ok: true; readonly amount: bigint } | { readonly ok: false };

/** Normal difference of one asset's price between two sources. */
const SAME_ASSET_BPS = 10n;

/**
 * Exact while the price moved within the charged spread; beyond, what that part of the deposit buys now, never more
 * than promised. A fixed rate fixes only the output.
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

export function leastTopUp(amount: bigint, slippageBps: number): bigint {
  const least = minimumAmount(amount, slippageBps);
  return least > 0n ? least : 1n;
}
