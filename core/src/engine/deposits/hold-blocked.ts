import type { DepositRow } from '../../contract/store-rows.js';
import { nameOf } from '../base/cleared-depositors.js';
import { decideAndCommit, type WorkContext } from '../base/context.js';
import { loadViews } from '../base/load.js';
import { UnitOfWork } from '../base/unit-of-work.js';
import { orderOf } from '../books/reported-deposits.js';
import { holdDeposit } from './settle-deposit.js';

/** Holds what these accounts paid and what is not yet decided. */
export async function holdBlocked(context: WorkContext, blocked: readonly DepositRow[]): Promise<void> {
  await decideAndCommit(context, 'engine.addresses.screen', async () => {
    const unit = new UnitOfWork();
    const names = new Set(blocked.map(nameOf));
    const rows = await context.store.deposits(blocked.map(({ fundingKey }) => fundingKey));
    await loadViews(
      context,
      unit,
      rows.map(({ requestId }) => requestId),
    );
    for (const { fundingKey } of rows) {
      const row = unit.get('deposits', fundingKey);
      const request = row && unit.get('requests', row.requestId);
      if (!row || !request || !names.has(nameOf(row)) || !isUndecided(row)) continue;
      holdDeposit(context, unit, row, orderOf(request) ?? null);
    }
    return { work: unit, result: undefined };
  });
  for (const { fundingKey, requestId } of blocked)
    context.log.warn({ fundingKey, requestId }, 'a screener blocks a depositor: its transfer stays where it is');
}

function isUndecided({ decision, state }: DepositRow): boolean {
  return decision === 'waiting' && (state === 'included' || state === 'final');
}
