import type { LegRow } from '../../contract/store-rows.js';
import { counter } from '../../domain/accounts.js';
import type { QuoteBody } from '../../domain/quote.js';
import { topUpNow } from '../../domain/top-up.js';
import type { EngineContext } from '../base/context.js';
import { isReleased } from '../base/leg-marks.js';
import type { UnitOfWork } from '../base/unit-of-work.js';
import { topUpPriceNow } from '../books/prices-now.js';

/** `less`: reduced in the leg. `tooLittle`: below the minimum. */
export type TopUpRepricing = 'kept' | 'less' | 'tooLittle' | 'noPrice';

/**
 * Reprices an unsigned top-up.
 *
 * Invariant (G12): its reservation follows its amount in the same change set.
 */
export function repriceTopUp(context: EngineContext, unit: UnitOfWork, leg: LegRow, quote: QuoteBody): TopUpRepricing {
  if (quote.topUp === undefined) throw new Error(`${leg.id} is not in its quote`);
  if (isReleased(leg)) return 'kept';
  const now = topUpPriceNow(context, quote);
  if (now === null) return 'noPrice';
  const worth = topUpNow(quote, quote.topUp, leg.covers, now);
  if (!worth.ok) return 'tooLittle';
  if (worth.amount >= leg.amount) return 'kept';
  if (leg.state === 'owed') {
    const reserved = counter.reserved(leg.chainId, leg.signer, leg.currency);
    unit.count({ account: reserved, by: worth.amount - leg.amount, atLeast: 0n });
  }
  unit.update('legs', leg.id, { amount: worth.amount });
  return 'less';
}
