import type { DepositRow, LegRow } from '../../contract/store-rows.js';
import { counter } from '../../domain/accounts.js';
import { isFirm } from '../../domain/fixed-rate.js';
import { guardPrice } from '../../domain/price-guard.js';
import type { QuoteBody } from '../../domain/quote.js';
import type { EngineContext } from '../base/context.js';
import type { UnitOfWork } from '../base/unit-of-work.js';
import { pairNow } from '../books/prices-now.js';
import { wholeCovers } from '../books/top-up-leg.js';

/** `less`: reduced in the leg. `slippage`: below the minimum. */
export type Kept = 'kept' | 'less' | 'slippage' | 'noPrice';

/**
 * Reprices an unsigned fill, so that waiting does not make the promise a free option.
 *
 * Invariant (G12): its claims follow its amount in the same change set.
 */
export function keepPrice(
  context: EngineContext,
  unit: UnitOfWork,
  leg: LegRow,
  quote: QuoteBody,
  deposit: DepositRow,
): Kept {
  if (isFirm(quote, deposit.blockTime)) return 'kept';
  const now = pairNow(context, quote);
  if (now === null) return 'noPrice';
  const isLate = deposit.blockTime !== null && deposit.blockTime > quote.expiresAt;
  const minimumAmount = isLate ? (quote.lateMinimumAmount ?? quote.minimumAmount) : quote.minimumAmount;
  const kept = guardPrice({ ...quote, minimumAmount }, { covers: wholeCovers(unit, leg), amountOut: leg.amount }, now);
  if (!kept.ok) return 'slippage';
  if (kept.amountOut === leg.amount) return 'kept';
  if (leg.state === 'owed') {
    const reserved = counter.reserved(leg.chainId, leg.signer, leg.currency);
    unit.count({ account: reserved, by: kept.amountOut - leg.amount, atLeast: 0n });
  }
  unit.update('legs', leg.id, { amount: kept.amountOut });
  return 'less';
}
