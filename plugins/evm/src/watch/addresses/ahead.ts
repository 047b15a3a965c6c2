/**
 * Yields answers in order and requests each one while the caller processes the one before.
 *
 * @throws as `ask`, when that answer is reached.
 */
export async function* ahead<T, R>(
  items: readonly T[],
  ask: (item: T) => Promise<R>,
): AsyncGenerator<{ readonly item: T; readonly answer: R }> {
  let next: Promise<R> | undefined;
  for (const [n, item] of items.entries()) {
    const now = next ?? ask(item);
    const after = items[n + 1];
    next = after === undefined ? undefined : ask(after);
    // The rejection is thrown when the answer is reached; until then it must not be unhandled.
    next?.catch(() => undefined);
    yield { item, answer: await now };
  }
}
