import type { Change } from '../../contract/store.js';
import type { BalanceEventRow } from '../../contract/store-rows.js';
import { counter } from '../../domain/accounts.js';
import { creditPosting } from '../../domain/app-balance.js';
import { UnitOfWork } from '../../engine/base/unit-of-work.js';

/** All fields of the event; `id` names the change for ever, so that it is made once. */
export type BalanceChange = Omit<BalanceEventRow, 'kind'> & {
  readonly kind: Exclude<BalanceEventRow['kind'], 'sponsorship'>;
};

/**
 * Credits an app balance, or takes from what of it is not reserved (a negative amount). The change set conflicts:
 * `duplicate` where the change was made before, `bound` on `pots` where too little is left.
 */
export function changeBalance(unit: UnitOfWork, event: BalanceChange): void {
  const { id, integratorId, amount, requestId, createdAt } = event;
  if (amount === 0n) throw new RangeError(`${id} changes nothing`);
  unit.insert('balanceEvents', event);
  unit.post(creditPosting({ groupId: id, requestId, legId: null, createdAt }, integratorId, amount));
  const bound = amount < 0n ? { atLeast: 0n } : {};
  unit.count({ account: counter.available(integratorId), by: amount, ...bound });
}

export function balanceChanges(event: BalanceChange): readonly Change[] {
  const unit = new UnitOfWork();
  changeBalance(unit, event);
  return unit.toChangeSet('').changes;
}
