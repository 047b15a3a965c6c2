import type { RequestRow, Store } from '@causeway/core';
import { statusEvent } from '../../../core/src/events/status-event.js';
import { type ChangePlan, type Commit, machineMs } from './messages.js';

/** A fixed schedule regardless of earlier commits; each change in one change set with its event, as in the engine. */
export async function changeStatuses(store: Store, { ids, perSecond, seconds }: ChangePlan): Promise<Commit[]> {
  const rows = await store.requests(ids);
  const commits: Commit[] = [];
  const open = new Set<Promise<void>>();
  const started = machineMs();
  for (let n = 0; n < perSecond * seconds; ) {
    const due = Math.min(perSecond * seconds, Math.floor(((machineMs() - started) / 1_000) * perSecond));
    for (; n < due; n += 1) {
      const at = n % rows.length;
      const row = rows[at] as RequestRow;
      const next: RequestRow = {
        ...row,
        status: row.status === 'pending' ? 'submitted' : 'pending',
        version: row.version + 1,
        eventCount: row.eventCount + 1,
        updatedAt: Date.now(),
      };
      (rows as RequestRow[])[at] = next;
      const task = change(store, row, next).then((event) => {
        commits.push([event, machineMs()]);
        open.delete(task);
      });
      open.add(task);
    }
    await new Promise((resolve) => setTimeout(resolve, 1));
  }
  await Promise.all(open);
  return commits;
}

async function change(store: Store, row: RequestRow, next: RequestRow): Promise<string> {
  const { status, eventCount, updatedAt } = next;
  const event = statusEvent(next, [], eventCount, updatedAt);
  const outcome = await store.apply({
    name: 'bench.change',
    changes: [
      {
        ...{ op: 'update', table: 'requests', key: { id: row.id }, version: row.version },
        set: { status, eventCount, updatedAt },
      },
      { op: 'insert', table: 'events', row: event },
    ],
  });
  if (!outcome.ok) throw new Error(JSON.stringify(outcome));
  return event.id;
}
