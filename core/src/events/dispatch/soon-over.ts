import type { Clock } from '../../contract/clock.js';
import type { DeliveryRow } from '../../contract/delivery-rows.js';

const [MAX_WAIT_MS, QUIET_MS] = [250, 50];

/**
 * Waits briefly for attempts, so that a quick outcome is written with its row: one write instead of two. Slower ones
 * are written as due first.
 */
export class SoonOver {
  readonly #left = new Set<string>();
  #ended = 0;
  #over: AbortController | undefined;

  ended(deliveryId: string): boolean {
    if (!this.#left.delete(deliveryId)) return false;
    this.#ended += 1;
    if (this.#left.size === 0) this.#over?.abort();
    return true;
  }

  /** @returns ids of those that did not end in time. */
  async wait(deliveries: Iterable<Pick<DeliveryRow, 'id'>>, clock: Clock, signal: AbortSignal): Promise<Set<string>> {
    for (const { id } of deliveries) this.#left.add(id);
    const over = new AbortController();
    this.#over = over;
    const end = (): void => over.abort();
    signal.addEventListener('abort', end);
    const until = clock.monotonic() + MAX_WAIT_MS;
    while (this.#left.size > 0 && !signal.aborted && clock.monotonic() < until) {
      const before = this.#ended;
      await clock.sleep(QUIET_MS, over.signal);
      if (this.#ended === before) break;
    }
    signal.removeEventListener('abort', end);
    const late = new Set(this.#left);
    this.#left.clear();
    this.#over = undefined;
    return late;
  }
}
