import type { Currency } from '../../contract/currency.js';
import type { LegRow } from '../../contract/store-rows.js';
import { divide } from '../../domain/decimal.js';
import { chainOf, type EngineContext } from '../base/context.js';
import { inCurrency } from './gas-price.js';

/**
 * Whether the settled value covers another transaction as expensive as the failed ones. Otherwise a recipient whose
 * payment fails only on chain makes the solver pay. Unpriceable legs are not retried.
 *
 * @param currency of the settled value.
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
