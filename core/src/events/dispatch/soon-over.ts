import type { Clock } from '../../contract/clock.js';
import type { DeliveryRow } from '../../contract/delivery-rows.js';

/** No more than this is waited for before the rows are written, and no longer than this for the next end. */
const [MOST_MS, QUIET_MS] = [250, 50];

/**
 * Waits for tries that end soon, so that what they came to is written with their rows: one write instead of two. Whatever
 * does not end soon is written as due, and what it came to later.
 */
export class SoonOver {
  readonly #left = new Set<string>();
  #ended = 0;
  #over: AbortController | undefined;

  /** @returns whether its end was waited for. */
  ended(deliveryId: string): boolean {
    if (!this.#left.delete(deliveryId)) return false;
    this.#ended += 1;
    if (this.#left.size === 0) this.#over?.abort();
    return true;
  }

  /** @returns ids of those that did not end, though there was time for it. */
  async wait(deliveries: Iterable<Pick<DeliveryRow, 'id'>>, clock: Clock, signal: AbortSignal): Promise<Set<string>> {
    for (const { id } of deliveries) this.#left.add(id);
    const over = new AbortController();
    this.#over = over;
    const end = (): void => over.abort();
    signal.addEventListener('abort', end);
    const until = clock.monotonic() + MOST_MS;
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
