/**
 * Calls to one node that work on a backlog has under way at once: as many as a node takes by default (`rpcMaxInFlight`), so
 * that what is asked for beside it, for a payment, waits for one of them at most.
 */
export const AT_ONCE = 16;

/**
 * Runs the task for each item, with so many under way at a time; the results in the order of the items. After a rejection no
 * further task is begun, and it rejects with that error once no task is under way any more.
 */
export async function inParallel<T, R>(
  items: readonly T[],
  task: (item: T) => Promise<R>,
  most: number = AT_ONCE,
): Promise<readonly R[]> {
  const results: R[] = [];
  const failures: unknown[] = [];
  let next = 0;
  const work = async (): Promise<void> => {
    while (next < items.length && failures.length === 0) {
      const n = next;
      next += 1;
      try {
        results[n] = await task(items[n] as T);
      } catch (error) {
        failures.push(error);
      }
    }
  };
  await Promise.all(Array.from({ length: Math.min(most, items.length) }, work));
  if (failures.length > 0) throw failures[0];
  return results;
}
