import type { EndpointRow } from '../../contract/delivery-rows.js';
import type { UnixMs } from '../../contract/ids.js';
import type { DueDelivery } from '../../contract/store.js';
import { restAfter } from './schedule.js';

/** Deliveries of one endpoint that are under way at once. */
const MOST_AT_ONCE = 8;
/** Deliveries of one endpoint that are kept in memory; the rest is read when its time comes. */
const MOST_KEPT = 64;

/**
 * What one endpoint is to be told next, in memory. Each endpoint has its own, so that one that is slow, or never answers, takes nothing
 * from others.
 */
export class EndpointQueue {
  endpoint: EndpointRow;
  readonly #ready: DueDelivery[] = [];
  /** Ids of what is under way, or over and not recorded yet. */
  readonly #taken = new Set<string>();
  #sending = 0;
  #failures = 0;
  /** Nothing is sent before. */
  #restsUntil = 0;
  /** When there may be something due that is not in memory. */
  #readAt = Number.POSITIVE_INFINITY;

  constructor(endpoint: EndpointRow) {
    this.endpoint = endpoint;
  }

  /** Adds what has become due, unless it is known. */
  add(due: readonly DueDelivery[], now: UnixMs): void {
    for (const one of due) {
      const { id } = one.delivery;
      if (this.#taken.has(id) || this.#ready.some(({ delivery }) => delivery.id === id)) continue;
      if (this.#ready.length < MOST_KEPT) this.#ready.push(one);
      else this.readFrom(now);
    }
  }

  /** Something that is not in memory is due then. */
  readFrom(at: UnixMs): void {
    this.#readAt = Math.min(this.#readAt, at);
  }

  /** How many to read now; 0: none. Whoever reads says then, by `readFrom`, when to read again. */
  wants(now: UnixMs): number {
    if (this.endpoint.state === 'disabled' || now < this.#readAt || now < this.#restsUntil) return 0;
    if (this.#ready.length > MOST_AT_ONCE) return 0;
    this.#readAt = Number.POSITIVE_INFINITY;
    // What is known already may come again.
    return MOST_KEPT + this.#taken.size;
  }

  /** What is to be sent now. After failures it is one, until one is taken. */
  take(now: UnixMs): readonly DueDelivery[] {
    if (this.endpoint.state === 'disabled' || now < this.#restsUntil) return [];
    const atOnce = restAfter(this.#failures) > 0 ? 1 : MOST_AT_ONCE;
    const some = this.#ready.splice(0, Math.max(0, atOnce - this.#sending));
    for (const { delivery } of some) this.#taken.add(delivery.id);
    this.#sending += some.length;
    return some;
  }

  /** A try is over; its outcome is to be recorded. */
  ended(taken: boolean, now: UnixMs): void {
    this.#sending -= 1;
    this.#failures = taken ? 0 : this.#failures + 1;
    this.#restsUntil = taken ? 0 : now + restAfter(this.#failures);
  }

  /** Its outcome is durable. */
  recorded(deliveryId: string): void {
    this.#taken.delete(deliveryId);
  }

  /** When it has something to do next; Infinity: not before something happens. */
  nextAt(): UnixMs {
    if (this.endpoint.state === 'disabled') return Number.POSITIVE_INFINITY;
    const full = this.#sending > 0 && this.#sending >= (restAfter(this.#failures) > 0 ? 1 : MOST_AT_ONCE);
    if (full) return Number.POSITIVE_INFINITY;
    return Math.max(this.#restsUntil, this.#ready.length > 0 ? 0 : this.#readAt);
  }
}
