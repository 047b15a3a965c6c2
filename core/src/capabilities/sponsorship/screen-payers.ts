import type { ChainAdapter } from '../../contract/chain-adapter.js';
import type { FundingKey } from '../../contract/ids.js';
import type { DepositRow } from '../../contract/store-rows.js';
import { nameOf } from '../../engine/base/cleared-depositors.js';
import type { EngineContext, WorkContext } from '../../engine/base/context.js';
import type { Patience } from '../../engine/base/patience.js';
import { holdBlocked } from '../../engine/deposits/hold-blocked.js';
import { balanceOf } from './deposits.js';

const MAX_SCREENED_ROWS = 100;
const RETRY_DELAY_MS = 1_000;

/** Whether a deposit that tops up a balance may be credited: no leg follows, before which its payer would be screened. */
export function isScreened(
  { screening, cleared }: Pick<EngineContext, 'screening' | 'cleared'>,
  deposit: Pick<DepositRow, 'fundingKey' | 'depositor' | 'depositAddress' | 'state'>,
): boolean {
  if (screening.isOff || deposit.depositor === '' || deposit.state !== 'final') return true;
  return /* guard: screened-top-ups */ cleared.has(nameOf(deposit));
}

/**
 * Asks screeners about who topped up balances, once that is final. What came from a blocked account is held; while
 * screeners do not answer it waits.
 *
 * @returns the deposits that may be credited now.
 */
export async function screenPayers(
  context: WorkContext,
  chain: ChainAdapter,
  patience: Patience,
): Promise<readonly FundingKey[]> {
  if (context.screening.isOff || !context.policy.balanceCurrencies?.has(chain.facts.id)) return [];
  const turn = await patience.turn(
    MAX_SCREENED_ROWS,
    (limit) => context.store.undecided(chain.facts.id, limit),
    (row) => row.fundingKey,
  );
  for (const { fundingKey } of turn) patience.postpone(fundingKey, RETRY_DELAY_MS);
  const waiting = turn.filter((row) => row.depositAddress === null && !isScreened(context, row));
  if (waiting.length === 0) return [];
  const requests = await context.store.requests(waiting.map(({ requestId }) => requestId));
  const balances = new Set(requests.filter((row) => balanceOf(row) !== undefined).map(({ id }) => id));
  const rows = waiting.filter(({ requestId }) => balances.has(requestId));
  const groups = rows.map(({ chainId, depositor }) => [{ chainId, address: depositor, role: 'depositor' as const }]);
  const answers = groups.length === 0 ? [] : await context.screening.screen('payments', groups);
  const stated = (state: 'clear' | 'blocked') => rows.filter((_, n) => answers[n]?.state === state);
  const clear = stated('clear');
  for (const row of clear) context.cleared.add(nameOf(row));
  const blocked = stated('blocked');
  if (blocked.length > 0) await holdBlocked(context, blocked);
  return clear.map(({ fundingKey }) => fundingKey);
}
