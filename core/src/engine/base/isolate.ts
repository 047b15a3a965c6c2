import { CommitUnknownError, DatabaseWentBackError, StoreUnavailableError } from '../../contract/store.js';
import { LeaseLost } from '../../leases/tenure.js';

/** Failures of the database or the lease say nothing about the work itself. */
export function isInfrastructure(error: unknown): boolean {
  return [LeaseLost, CommitUnknownError, DatabaseWentBackError, StoreUnavailableError].some(
    (kind) => error instanceof kind,
  );
}

/**
 * Runs a task on all rows; where it throws, on halves, down to the rows that throw alone. Those go to `poison`.
 * `task` must be safe to repeat with a subset.
 */
export async function isolate<T>(
  items: readonly T[],
  task: (some: readonly T[]) => Promise<void>,
  poison: (item: T, error: unknown) => Promise<void> | void,
): Promise<void> {
  if (items.length === 0) return;
  try {
    await task(items);
  } catch (error) {
    if (isInfrastructure(error)) throw error;
    const [only] = items;
    if (items.length === 1 && only !== undefined) return poison(only, error);
    const middle = Math.ceil(items.length / 2);
    await isolate(items.slice(0, middle), task, poison);
    await isolate(items.slice(middle), task, poison);
  }
}
