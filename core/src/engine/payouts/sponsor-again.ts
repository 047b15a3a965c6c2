import {
  dropSponsor,
  lacksReservation,
  reserveFor,
  sponsoredBody,
} from '../../capabilities/sponsorship/sponsor-fill.js';
import type { DepositRow, LegRow, RequestRow } from '../../contract/store-rows.js';
import { sponsoredBy } from '../../domain/decide.js';
import { priceExactInput } from '../../domain/fees.js';
import { withoutSponsor } from '../../domain/sponsored-fees.js';
import type { WorkContext } from '../base/context.js';
import type { Means } from '../base/leg-rules.js';
import type { UnitOfWork } from '../base/unit-of-work.js';
import { wholeCovers } from '../books/top-up-leg.js';

/**
 * Reserves again what the sponsor of a fill pays, after a reorg had released it. Without it the fill goes out only as
 * the user alone pays for it.
 *
 * @returns `less`: the amount of the leg changed; `refused`: it is below what the user accepts.
 */
export function sponsorAgain(
  { clock }: Pick<WorkContext, 'clock'>,
  unit: UnitOfWork,
  leg: LegRow,
  request: RequestRow,
  deposit: DepositRow,
  means: Means,
): 'paid' | 'less' | 'refused' {
  const body = sponsoredBody(request);
  // guard: sponsored-fills-are-reserved
  if (body === undefined || !lacksReservation(body)) return 'paid';
  // Only a fill without claims can change its amount here.
  if (leg.state !== 'short') return 'refused';
  const covers = wholeCovers(unit, leg);
  if (reserveFor(unit, means, request, sponsoredBy(body.terms, covers), clock.now())) return 'paid';
  const isLate = deposit.blockTime !== null && deposit.blockTime > body.expiresAt;
  const least = BigInt(isLate ? (body.lateMinimumAmount ?? body.minimumAmount) : body.minimumAmount);
  const alone = priceExactInput(covers, withoutSponsor(body.terms));
  if (!alone.ok || alone.amounts.amountOut < least) return 'refused';
  dropSponsor(unit, request);
  const { amountOut } = alone.amounts;
  unit.update('legs', leg.id, { amount: amountOut < leg.amount ? amountOut : leg.amount, dueAt: clock.now() });
  return 'less';
}
