import type { DepositRow } from '../../contract/store-rows.js';
import { nameOf } from '../../engine/base/cleared-depositors.js';
import type { EngineContext } from '../../engine/base/context.js';

type Named = Pick<DepositRow, 'fundingKey' | 'depositor' | 'depositAddress'>;

/**
 * Whether a transfer may be decided: only transfers to deposit addresses wait for their screening, and only where the
 * chain names their payer.
 */
export function isCleared(
  { screening, cleared }: Pick<EngineContext, 'screening' | 'cleared'>,
  deposit: Named,
): boolean {
  if (screening.isOff || deposit.depositAddress === null || deposit.depositor === '') return true;
  return /* guard: screened-depositors */ cleared.has(nameOf(deposit));
}
