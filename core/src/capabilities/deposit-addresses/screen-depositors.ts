import type { ChainAdapter } from '../../contract/chain-adapter.js';
import type { FundingKey } from '../../contract/ids.js';
import { nameOf } from '../../engine/base/cleared-depositors.js';
import type { WorkContext } from '../../engine/base/context.js';
import type { Patience } from '../../engine/base/patience.js';
import { holdBlocked } from '../../engine/deposits/hold-blocked.js';
import { isCleared } from './cleared.js';

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
