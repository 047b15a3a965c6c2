import type { Currency } from '../../contract/currency.js';
import type { LegRow } from '../../contract/store-rows.js';
import { divide } from '../../domain/decimal.js';
import { chainOf, type EngineContext } from '../base/context.js';
import { inCurrency } from './gas-price.js';

/**
 * Whether what a leg settles pays for another transaction as dear as those that landed in vain, on top of them: else whoever makes
 * it fail on the chain, and not when it is tried, has the solver pay for the rest. What cannot be priced is not tried again.
 *
 * @param currency of what it settles.
 */
export function bearsAnotherTry(
  context: EngineContext,
  { chainId, covers, reverts, spent }: LegRow,
  currency: Currency | undefined,
): boolean {
  if (spent === 0n) return true;
  if (currency === undefined) return false;
  const each = divide(spent, BigInt(Math.max(1, reverts)), 'ceil');
  const priced = inCurrency(context, chainOf(context, chainId), currency, spent + each);
  return priced.ok && priced.gas <= covers;
}
