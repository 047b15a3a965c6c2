import type { EngineContext } from '../base/context.js';

const READ_INTERVAL_MS = 2_000;
const ALERT = 'disk-low';

/**
 * Below the floor of free database space new quotes stop, which leaves the rest for existing promises. A store that
 * cannot see its free space is never short.
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
    if (!store.freeBytes || now - this.#readAt < READ_INTERVAL_MS) return;
    this.#readAt = now;
    let free: bigint;
    try {
      free = await store.freeBytes();
    } catch (error) {
      log.warn({ err: error }, 'how much of the disk is free could not be read');
      return;
    }
    metrics.gauge('database_free_bytes', 'Bytes that can still be written where the database is', Number(free));
    this.#short = /* guard: free-disk */ free < floor;
    if (this.#short)
      alerts.raise(ALERT, 'The disk of the database is nearly full: no quotes are given until there is space', {
        freeBytes: free.toString(),
        leastFreeBytes: floor.toString(),
      });
    else alerts.clear(ALERT);
  }
}
