import { CommitUnknownError, DatabaseWentBackError, StoreUnavailableError } from '../../contract/store.js';
import { LeaseLost } from '../../leases/tenure.js';

/** Trouble of the database or of the lease says nothing about the work itself. */
export function isInfrastructure(error: unknown): boolean {
  return [LeaseLost, CommitUnknownError, DatabaseWentBackError, StoreUnavailableError].some(
    (kind) => error instanceof kind,
  );
}

/**
 * Does work in one go; where that throws, in halves, down to the items that throw by themselves. They go to `poison`,
 * so that one bad row never keeps the others from being worked on.
 *
 * `task` must be safe to repeat with a part of the rows that it was given before.
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
