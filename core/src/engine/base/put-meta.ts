import type { WorkContext } from './context.js';
import type { UnitOfWork } from './unit-of-work.js';

/** Writes a mark, over the one that is there if any; `next` makes the new text of the old one. */
export async function putMeta(
  context: WorkContext,
  unit: UnitOfWork,
  key: string,
  next: (before: string | undefined) => string,
): Promise<void> {
  const before = await context.store.meta(key);
  const value = next(before?.value);
  if (!before) unit.insert('meta', { key, version: 1, value });
  else {
    unit.load('meta', before);
    unit.update('meta', key, { value });
  }
}
