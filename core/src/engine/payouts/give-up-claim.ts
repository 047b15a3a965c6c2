import type { LegPaid } from '../../contract/legs.js';
import type { LegRow } from '../../contract/store-rows.js';
import { walletOf } from '../../domain/fee-claim.js';
import { abandonedClaimPosting, claimDifferencePosting } from '../../domain/postings.js';
import { chainOf, type EngineContext } from '../base/context.js';
import { MAYBE_PAID } from '../base/leg-marks.js';
import type { UnitOfWork } from '../base/unit-of-work.js';
import { releaseInventory } from '../books/budget.js';
import { inCurrency } from '../books/gas-price.js';

/**
 * Owes the amount to the wallet again, less the cost of its transactions.
 *
 * Invariant: the leg is `owed`, all its keys ended without it, and no part of the ledger was lost.
 */
export function giveBackClaim(context: EngineContext, unit: UnitOfWork, leg: LegRow, reason: string): void {
  if (leg.state !== 'owed') throw new Error(`${leg.id} is ${leg.state}, it cannot be abandoned`);
  releaseInventory(unit, leg);
  unit.update('legs', leg.id, { state: leg.key === null && leg.spent === 0n ? 'void' : 'closed', reason });
  const { chainId, currency, covers } = leg;
  const meta = { groupId: `back:${leg.id}`, requestId: null, legId: leg.id, createdAt: context.clock.now() };
  const account = { chainId, currency, wallet: walletOf(leg), amount: covers };
  unit.post(abandonedClaimPosting(meta, account, costOf(context, leg)));
  context.log.info({ leg: leg.id, reason }, 'a claim of app fees was abandoned: they are owed as before');
}

/** Zero where unpriceable. */
function costOf(context: EngineContext, { chainId, currency, spent, covers }: LegRow): bigint {
  const chain = chainOf(context, chainId);
  const known = chain.currency(currency);
  const priced = spent === 0n || !known ? undefined : inCurrency(context, chain, known, spent);
  const cost = priced?.ok ? priced.gas : 0n;
  // guard: fee-claims-bear-failures
  return cost < covers ? cost : covers;
}

/**
 * Books that a lost claim was paid under a leg's number. If it had another recipient, an operator must look.
 *
 * Invariant (G3, G15): its payment, at the network fee of the claim counted in its place, is deducted from the
 * wallet's balance.
 */
export function bookLostClaim(context: EngineContext, unit: UnitOfWork, leg: LegRow, paid: LegPaid): void {
  releaseInventory(unit, leg);
  const { id, chainId, currency } = leg;
  const meta = { groupId: `paid:${id}:difference`, requestId: null, legId: id, createdAt: context.clock.now() };
  const difference = { chainId, currency, wallet: walletOf(leg), amount: paid.moved - leg.amount };
  unit.post(claimDifferencePosting(meta, difference));
  if (paid.recipient === leg.recipient) return;
  unit.update('legs', id, { state: 'held', reason: MAYBE_PAID, includedAt: null });
  reportHeld(context, leg, MAYBE_PAID);
}

/** A lost send may have paid it: nothing more is paid automatically. */
export function holdClaim(context: EngineContext, unit: UnitOfWork, leg: LegRow, reason: string): void {
  if (leg.includedAt === null) releaseInventory(unit, leg);
  unit.update('legs', leg.id, { state: 'held', reason });
  reportHeld(context, leg, reason);
}

function reportHeld({ alerts }: EngineContext, { id }: LegRow, reason: string): void {
  alerts.raise(`claim:${id}`, 'A claim of app fees may have been paid before: it is not paid automatically', {
    leg: id,
    reason,
  });
}
