/**
 * Answers in order, each asked for while the one before is worked on, so that a provider is never idle meanwhile.
 *
 * @throws as `ask`, when the answer's turn comes
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
    // Rejects again at its turn; until then, or when no one waits any more, it must not end the process.
    next?.catch(() => undefined);
    yield { item, answer: await now };
  }
}
