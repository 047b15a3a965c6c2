import type { ChainId } from '../contract/ids.js';
import { valueMicroUsd } from '../domain/money.js';
import { chainOf, type EngineContext } from './context.js';

/** Micro-USD of an amount, rounded up: limits must not be passed by rounding. Zero when it cannot be priced. */
export function microUsdOf(context: EngineContext, chainId: ChainId, currency: string, amount: bigint): bigint {
  const known = chainOf(context, chainId).currency(currency);
  if (!known) return 0n;
  const price = context.prices.price(known);
  return price.ok ? valueMicroUsd(amount, known.decimals, price.usd, 'ceil') : 0n;
}
