import type { RequestRow, TransactionRow } from '../../contract/store-rows.js';
import { isSettled } from '../../domain/request-status.js';
import { type FailureEvidence, type Trigger, transition } from '../../domain/transitions.js';
import { statusEvent } from '../../events/status-event.js';
import type { EngineContext } from '../base/context.js';
import type { UnitOfWork } from '../base/unit-of-work.js';

/**
 * Moves a request through the transition table, with its event.
 *
 * Invariant: no other code sets `status`. A move outside the table is a bug: logged and counted, the status stays,
 * the other fields are written.
 */
export function moveRequest(
  context: EngineContext,
  work: UnitOfWork,
  id: string,
  trigger: Trigger,
  set: Partial<RequestRow> = {},
  options: { readonly guard?: string; readonly evidence?: FailureEvidence } = {},
): RequestRow {
  const row = work.get('requests', id);
  if (!row) throw new Error(`request ${id} was not loaded`);
  const now = context.clock.now();
  const moved = transition(row.status, trigger, options.guard, options.evidence);
  // guard: status-transitions
  if (!moved.ok) {
    context.metrics.count('refused_transitions', 'Status changes that the table does not have', {
      from: row.status,
      trigger,
    });
    context.log.error({ requestId: id, from: row.status, trigger }, 'refused transition');
    return Object.keys(set).length > 0 ? work.update('requests', id, set) : row;
  }
  const sequence = row.eventCount + 1;
  const next = work.update('requests', id, { ...set, status: moved.to, eventCount: sequence, updatedAt: now });
  const transactions = work.all('transactions').filter((entry) => entry.requestId === id);
  work.insert('events', statusEvent(next, transactions, sequence, now));
  context.metrics.count('status_changes', 'Status changes of requests', { from: row.status, to: moved.to });
  return next;
}

/**
 * A known id gets its hash and place updated. What a settled request pays later (an excess refund) moves its `updatedAt`,
 * by which clients ask for what is new; before that its next status does.
 */
export function noteTransaction(
  context: EngineContext,
  work: UnitOfWork,
  row: Omit<TransactionRow, 'version' | 'entry'>,
): void {
  const known = work.get('transactions', row.id);
  const same =
    known?.hash === row.hash && known.block === row.block && known.status === row.status && known.role === row.role;
  if (same) return;
  if (known) work.update('transactions', row.id, { ...row, entry: null });
  else work.insert('transactions', { ...row, version: 1, entry: null });
  const request = work.get('requests', row.requestId);
  const updatedAt = context.clock.now();
  if (request && isSettled(request.status) && request.updatedAt < updatedAt)
    work.update('requests', request.id, { updatedAt });
}
