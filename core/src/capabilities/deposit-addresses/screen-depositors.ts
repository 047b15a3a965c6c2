import type { ChainAdapter } from '../../contract/chain-adapter.js';
import type { FundingKey } from '../../contract/ids.js';
import type { DepositRow } from '../../contract/store-rows.js';
import { decideAndCommit, type WorkContext } from '../../engine/base/context.js';
import { loadViews } from '../../engine/base/load.js';
import type { Patience } from '../../engine/base/patience.js';
import { UnitOfWork } from '../../engine/base/unit-of-work.js';
import { orderOf } from '../../engine/books/reported-deposits.js';
import { holdDeposit } from '../../engine/deposits/settle-deposit.js';
import { isCleared, nameOf } from './cleared.js';

const MAX_SCREENED_ROWS = 100;
const RETRY_DELAY_MS = 1_000;

/**
 * Asks screeners about the depositors of transfers to deposit addresses, where the chain names them.
 *
 * Invariant: a transfer from a blocked account is not quoted, filled, swept or refunded, but held for an operator. It
 * waits while screeners do not answer.
 *
 * @returns the transfers that may be decided now.
 */
export async function screenDepositors(
  context: WorkContext,
  chain: ChainAdapter,
  patience: Patience,
): Promise<readonly FundingKey[]> {
  if (context.screening.isOff || chain.capabilities.depositAddresses === undefined) return [];
  const rows = await patience.turn(
    MAX_SCREENED_ROWS,
    (limit) => context.store.undecidedAt(chain.facts.id, limit),
    (row) => row.fundingKey,
  );
  for (const row of rows) patience.postpone(row.fundingKey, RETRY_DELAY_MS);
  const asked = rows.filter((row) => !isCleared(context, row));
  if (asked.length === 0) return [];
  const groups = asked.map(({ chainId, depositor }) => [{ chainId, address: depositor, role: 'depositor' as const }]);
  const answers = await context.screening.screen('payments', groups);
  const stated = (state: 'clear' | 'blocked') => asked.filter((_, n) => answers[n]?.state === state);
  const clear = stated('clear');
  for (const row of clear) context.cleared.add(nameOf(row));
  const blocked = stated('blocked');
  if (blocked.length > 0) await holdBlocked(context, blocked);
  return clear.map(({ fundingKey }) => fundingKey);
}

/** Holds what these accounts paid, as far as it is undecided. */
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
