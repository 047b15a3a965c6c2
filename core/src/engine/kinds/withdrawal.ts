import type { LegPaid } from '../../contract/legs.js';
import type { LegRow } from '../../contract/store-rows.js';
import { account } from '../../domain/accounts.js';
import type { EngineContext, LegRules } from '../base/context.js';
import { MAYBE_PAID } from '../base/leg-marks.js';
import type { UnitOfWork } from '../base/unit-of-work.js';
import { releaseInventory } from '../books/budget.js';
import { inventoryPayout } from './inventory-payout.js';

/** Pays the operator from the lane's inventory, under the id that the operator named. */
export const WITHDRAWAL: LegRules = inventoryPayout({
  lines: ({ chainId, signer, currency, moved }) => [
    [
      [account.inventory(chainId, signer, currency), -BigInt(moved)],
      [account.withdrawn(chainId, currency), BigInt(moved)],
    ],
  ],
  giveBack,
  hold,
  onPaid: () => {},
  /** Of the whole history: a lost one may be of any age. */
  since: async () => 0,
  onPaidElsewhere: bookLost,
});

function giveBack({ log }: EngineContext, unit: UnitOfWork, leg: LegRow, reason: string): void {
  releaseInventory(unit, leg);
  unit.update('legs', leg.id, { state: leg.key === null && leg.spent === 0n ? 'void' : 'closed', reason });
  log.info({ leg: leg.id, reason }, 'a withdrawal was abandoned: nothing was paid');
}

function hold({ alerts }: EngineContext, unit: UnitOfWork, leg: LegRow, reason: string): void {
  if (leg.includedAt === null) releaseInventory(unit, leg);
  unit.update('legs', leg.id, { state: 'held', reason });
  const message = 'A withdrawal may have been paid before: it is not paid automatically';
  alerts.raise(`withdrawal:${leg.id}`, message, { leg: leg.id, reason });
}

/** The books show what the lost one paid. An operator must look where it went to another recipient. */
function bookLost(context: EngineContext, unit: UnitOfWork, leg: LegRow, paid: LegPaid): void {
  releaseInventory(unit, leg);
  if (paid.recipient === leg.recipient) return;
  unit.update('legs', leg.id, { state: 'held', reason: MAYBE_PAID, includedAt: null });
  const message = 'A withdrawal was paid before, to another recipient: it is not paid again';
  context.alerts.raise(`withdrawal:${leg.id}`, message, { leg: leg.id, hash: paid.hash });
}
