import type { EngineContext } from '../base/context.js';

const EVERY_MS = 2_000;
const ALERT = 'disk-low';

/**
 * Whether the database has room for what is promised already. Below the floor new quotes stop, so that what is left is for the
 * deposits, fills and refunds of those that were made: a database that cannot be written to can do none of them.
 *
 * A store that does not know what is free where it is, as one on another machine, is never short.
 */
export class FreeSpace {
  #readAt = Number.NEGATIVE_INFINITY;
  #short = false;

  /** From memory. */
  short(): boolean {
    return this.#short;
  }

  async refresh({ store, policy, clock, log, alerts, metrics }: EngineContext): Promise<void> {
    const floor = policy.leastFreeBytes;
    const now = clock.monotonic();
    if (!store.freeBytes || now - this.#readAt < EVERY_MS) return;
    this.#readAt = now;
    let free: bigint;
    try {
      free = await store.freeBytes();
    } catch (error) {
      log.warn({ err: error }, 'how much of the disk is free could not be read');
      return;
    }
    metrics.gauge('database_free_bytes', 'Bytes that can still be written where the database is', Number(free));
    this.#short = free < floor;
    if (this.#short)
      alerts.raise(ALERT, 'The disk of the database is nearly full: no quotes are given until there is room', {
        freeBytes: free.toString(),
        leastFreeBytes: floor.toString(),
      });
    else alerts.clear(ALERT);
  }
}
