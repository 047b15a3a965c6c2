import type { DepositObservation } from '../../contract/deposits.js';
import type { DepositRow, HoldRow } from '../../contract/store-rows.js';
import { bytesToHex } from '../../domain/hex.js';
import { keccak256 } from '../../domain/keccak.js';
import type { WorkContext } from '../base/context.js';
import { inParallel } from '../base/in-parallel.js';
import type { UnitOfWork } from '../base/unit-of-work.js';

/** Reason of a hold for a deposit that a reorg made anew, after something was signed for what it was first. */
export const CHANGED = 'DEPOSIT_CHANGED';

const AT_ONCE = 16;

type Named = Pick<DepositRow, 'fundingKey'>;

/** The same transaction may do something else in another block: whom it pays for, and with what, is not its amount alone. */
export function isAnother(before: DepositRow, { currency, orderId, chainId }: DepositObservation): boolean {
  return currency !== before.currency || chainId !== before.chainId || orderId !== before.orderId;
}

/** What names these to an operator so far, read into the unit of work. Nothing is read where none is, or was, changed. */
export async function loadChanges(
  { store }: WorkContext,
  unit: UnitOfWork,
  known: readonly DepositRow[],
  seen: readonly DepositObservation[],
): Promise<void> {
  const now = new Map(seen.map((one) => [one.fundingKey, one]));
  const concerned = known.filter((before) => {
    const one = now.get(before.fundingKey);
    if (one === undefined) return false;
    return before.state === 'vanished' || isAnother(before, one) || one.amount !== before.amount;
  });
  for (const row of await inParallel(concerned, AT_ONCE, (before) => store.hold(idOf(before))))
    if (row !== undefined) unit.load('holds', row);
}

/**
 * What was signed, sent and booked of a transfer is of what was seen first: it stays vanished, and what arrived instead is named to an
 * operator by a hold without a posting, which outlasts this process.
 *
 * Invariant (G2): no more is paid for a transfer, or paid back of it, than arrived.
 */
export function tellOfChange(
  context: WorkContext,
  unit: UnitOfWork,
  before: DepositRow,
  seen: DepositObservation,
): void {
  const { fundingKey, requestId, transactionHash, chainId } = before;
  const { amount, currency } = seen;
  const facts = { fundingKey, before: before.amount.toString(), now: amount.toString(), currency };
  context.alerts.raise(changeAlert(before), 'A deposit came back from a reorg as another one', facts);
  const id = idOf(before);
  const hold = unit.get('holds', id);
  const set = { currency, amount, state: 'open' } as const;
  if (hold === undefined) {
    const named = { id, version: 1, requestId, fundingKey, transactionHash, chainId, reason: CHANGED } as const;
    unit.insert('holds', { ...named, ...set, createdAt: context.clock.now() });
  } else if (hold.amount !== amount || hold.currency !== currency) {
    unit.update('holds', id, set);
  }
}

/** It is what it was first again. */
export function endChange(context: WorkContext, unit: UnitOfWork, deposit: Named): void {
  context.alerts.clear(changeAlert(deposit));
  const hold = unit.get('holds', idOf(deposit));
  if (hold?.state === 'open') unit.update('holds', hold.id, { state: 'released' });
}

/** Whoever has seen to it takes it off the list. */
export const changeAlert = ({ fundingKey }: Named): string => `deposit-changed:${fundingKey}`;

function idOf({ fundingKey }: Named): HoldRow['id'] {
  return `changed:${bytesToHex(keccak256(new TextEncoder().encode(fundingKey)))}`;
}
