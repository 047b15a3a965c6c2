import type { WorkContext } from './context.js';
import type { UnitOfWork } from './unit-of-work.js';

/** `next` computes the new text from the old. */
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
