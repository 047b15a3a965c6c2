import type { DepositObservation } from '../../contract/deposits.js';
import type { DepositRow, HoldRow } from '../../contract/store-rows.js';
import { bytesToHex } from '../../domain/hex.js';
import { keccak256 } from '../../domain/keccak.js';
import type { WorkContext } from '../base/context.js';
import { inParallel } from '../base/in-parallel.js';
import type { UnitOfWork } from '../base/unit-of-work.js';

/** Hold reason: a reorg changed a deposit after something was signed for it. */
export const CHANGED = 'DEPOSIT_CHANGED';

const CONCURRENCY = 16;

type Named = Pick<DepositRow, 'fundingKey'>;

/** The same transaction may do something else in another block. */
export function isAnother(before: DepositRow, { currency, orderId, chainId }: DepositObservation): boolean {
  return currency !== before.currency || chainId !== before.chainId || orderId !== before.orderId;
}

/** Reads nothing where no deposit changed. */
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
  for (const row of await inParallel(concerned, CONCURRENCY, (before) => store.hold(idOf(before))))
    if (row !== undefined) unit.load('holds', row);
}

/**
 * The deposit stays vanished, as signatures and postings refer to its first version. A hold without a posting names
 * what arrived instead.
 *
 * Invariant (G2): no more is paid for a transfer, or of it, than arrived.
 */
export function reportOfChange(
  context: WorkContext,
  unit: UnitOfWork,
  before: DepositRow,
  seen: DepositObservation,
): void {
  const { fundingKey, requestId, transactionHash, chainId } = before;
  const { amount, currency } = seen;
  const facts = { fundingKey, before: before.amount.toString(), now: amount.toString(), currency };
  context.alerts.raise(changeAlert(before), 'A reorg changed a deposit', facts);
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

/** The deposit is what it was first again. */
export function endChange(context: WorkContext, unit: UnitOfWork, deposit: Named): void {
  context.alerts.clear(changeAlert(deposit));
  const hold = unit.get('holds', idOf(deposit));
  if (hold?.state === 'open') unit.update('holds', hold.id, { state: 'released' });
}

export const changeAlert = ({ fundingKey }: Named): string => `deposit-changed:${fundingKey}`;

function idOf({ fundingKey }: Named): HoldRow['id'] {
  return `changed:${bytesToHex(keccak256(new TextEncoder().encode(fundingKey)))}`;
}
