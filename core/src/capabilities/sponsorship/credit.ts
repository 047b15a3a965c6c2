import type { Change } from '../../contract/store.js';
import type { BalanceEventRow } from '../../contract/store-rows.js';
import { counter } from '../../domain/accounts.js';
import { creditPosting } from '../../domain/app-balance.js';

/** All fields of the event; `id` names the change for ever, so that it is made once. */
export type BalanceChange = Omit<BalanceEventRow, 'kind'> & {
  readonly kind: Exclude<BalanceEventRow['kind'], 'sponsorship'>;
};

/**
 * Credits an app balance, or takes from what of it is not reserved (a negative amount). Conflicts: `duplicate` where
 * the change was made before, `bound` on `pots` where too little is left.
 */
export function balanceChanges(event: BalanceChange): readonly Change[] {
  const { id, integratorId, amount, requestId, createdAt } = event;
  if (amount === 0n) throw new RangeError(`${id} changes nothing`);
  const meta = { groupId: id, requestId, legId: null, createdAt };
  return [
    { op: 'insert', table: 'balanceEvents', row: event },
    { op: 'post', lines: creditPosting(meta, integratorId, amount) },
    // guard: balance-keeps-reserved
    { op: 'count', account: counter.available(integratorId), by: amount, ...(amount < 0n ? { atLeast: 0n } : {}) },
  ];
}
