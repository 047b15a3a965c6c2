import assert from 'node:assert/strict';
import type { ApplyOutcome, Change, Store } from '../contract/store.js';
import { changeSet } from './store-fixtures.js';

type Conflict = Extract<ApplyOutcome, { ok: false }>['conflict'];

export async function applied(store: Store, ...changes: Change[]): Promise<void> {
  assert.deepEqual(await store.apply(changeSet(...changes)), { ok: true });
}

/** The set must be refused for this reason on this table. */
export async function refused(
  store: Store,
  kind: Conflict['kind'],
  table: Conflict['table'],
  ...changes: Change[]
): Promise<void> {
  const outcome = await store.apply(changeSet(...changes));
  assert.equal(outcome.ok, false, `expected a ${kind} conflict on ${table}`);
  if (outcome.ok) return;
  assert.deepEqual({ kind: outcome.conflict.kind, table: outcome.conflict.table }, { kind, table });
}

export function ids<R extends { readonly id: string }>(rows: readonly R[]): string[] {
  return rows.map((row) => row.id);
}

export function range(count: number, from = 1): number[] {
  return Array.from({ length: count }, (_, at) => from + at);
}

/** Repeats a task at least once until the work ends. The work has ended even when this rejects. */
export async function during(work: Promise<unknown>, task: () => Promise<unknown>): Promise<void> {
  let working = true;
  const done = work.finally(() => {
    working = false;
  });
  try {
    do await task();
    while (working);
  } finally {
    await Promise.allSettled([done]);
  }
  await done;
}
