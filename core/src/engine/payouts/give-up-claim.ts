import type { LegRow } from '../../contract/store-rows.js';
import { walletOf } from '../../domain/fee-claim.js';
import { abandonedClaimPosting } from '../../domain/postings.js';
import { chainOf, type EngineContext } from '../base/context.js';
import type { UnitOfWork } from '../base/unit-of-work.js';
import { releaseInventory } from '../books/budget.js';
import { inCurrency } from '../books/gas-price.js';

/**
 * Gives up a claim that cannot be paid: its amount is owed to the wallet again, less what its transactions cost.
 *
 * Invariant: the leg is `owed`, every key that it ever had ended without it, and no part of the ledger was lost.
 */
export function giveBackClaim(context: EngineContext, unit: UnitOfWork, leg: LegRow, reason: string): void {
  if (leg.state !== 'owed') throw new Error(`${leg.id} is ${leg.state}, it cannot be given up`);
  releaseInventory(unit, leg);
  unit.update('legs', leg.id, { state: leg.key === null && leg.spent === 0n ? 'void' : 'closed', reason });
  const { chainId, currency, covers } = leg;
  const meta = { groupId: `back:${leg.id}`, requestId: null, legId: leg.id, createdAt: context.clock.now() };
  const account = { chainId, currency, wallet: walletOf(leg), amount: covers };
  unit.post(abandonedClaimPosting(meta, account, costOf(context, leg)));
  context.log.info({ leg: leg.id, reason }, 'a claim of app fees was given up: they are owed as before');
}

/** What transactions that landed in vain took; nothing where that cannot be priced. */
function costOf(context: EngineContext, { chainId, currency, spent, covers }: LegRow): bigint {
  const chain = chainOf(context, chainId);
  const known = chain.currency(currency);
  const priced = spent === 0n || !known ? undefined : inCurrency(context, chain, known, spent);
  const cost = priced?.ok ? priced.gas : 0n;
  return cost < covers ? cost : covers;
}

/** Nothing more is paid by itself: it may have been paid by something that this ledger does not know. */
export function holdClaim(context: EngineContext, unit: UnitOfWork, leg: LegRow, reason: string): void {
  if (leg.includedAt === null) releaseInventory(unit, leg);
  unit.update('legs', leg.id, { state: 'held', reason });
  context.alerts.raise(`claim:${leg.id}`, 'A claim of app fees may have been paid before: it is not paid by itself', {
    leg: leg.id,
    reason,
  });
}
