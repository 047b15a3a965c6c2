/**
 * Parallel calls of backlog work per node, the default limit (`rpcMaxInFlight`): a call for a payment waits for at
 * most one of them.
 */
export const DEFAULT_CONCURRENCY = 16;

/**
 * Runs tasks with limited concurrency; results in the order of the items. After a rejection no task starts, and it
 * rejects once none is running.
 */
export async function inParallel<T, R>(
  items: readonly T[],
  task: (item: T) => Promise<R>,
  most: number = DEFAULT_CONCURRENCY,
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
