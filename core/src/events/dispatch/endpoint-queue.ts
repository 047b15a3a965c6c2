import type { EndpointRow } from '../../contract/delivery-rows.js';
import type { UnixMs } from '../../contract/ids.js';
import type { DueDelivery } from '../../contract/store.js';
import type { Outcome } from './plan-turn.js';
import { restAfter } from './schedule.js';

export const MAX_CONCURRENT_DELIVERIES = 8;

const QUICK_ATTEMPT_MS = 50;

const GONE_MS = 1_000;

/** In-memory queue of one endpoint. Separate queues keep a slow endpoint from delaying others. */
export class EndpointQueue {
  endpoint: EndpointRow;
  mostKept: number;
  readonly #ready: DueDelivery[] = [];
  /** Ids that are ready, in flight, or finished and not yet recorded. */
  readonly #known = new Set<string>();
  #sending = 0;
  /** Concurrency: one until a success, then doubled with each success. */
  #width = 1;
  #failures = 0;
  #isQuick = false;
  /** No sends before this time. */
  #restsUntil = 0;
  #readAt = Number.POSITIVE_INFINITY;
  /** No reads before this time. */
  #onHoldUntil = 0;

  constructor(endpoint: EndpointRow, mostKept: number) {
    this.endpoint = endpoint;
    this.mostKept = mostKept;
  }

  /** Ignores known deliveries. @returns those added; the rest is read when there is capacity. */
  add(due: readonly DueDelivery[], now: UnixMs): readonly DueDelivery[] {
    const added: DueDelivery[] = [];
    for (const one of due) {
      const { id } = one.delivery;
      if (this.#known.has(id)) continue;
      if (this.#ready.length >= this.#most) {
        this.readFrom(now);
        break;
      }
      this.#ready.push(one);
      this.#known.add(id);
      added.push(one);
    }
    return added;
  }

  readFrom(at: UnixMs): void {
    this.#readAt = Math.min(this.#readAt, at);
  }

  /** How many to read now; 0: none. */
  room(now: UnixMs): number {
    if (this.endpoint.state !== 'active' || now < Math.max(this.#readAt, this.#restsUntil, this.#onHoldUntil)) return 0;
    if (this.#ready.length > this.#most / 8) return 0;
    // Known deliveries may be read again.
    return this.#most + this.#known.size;
  }

  refill(due: readonly DueDelivery[], now: UnixMs): void {
    this.#readAt = Number.POSITIVE_INFINITY;
    this.#onHoldUntil = 0;
    this.add(due, now);
  }

  setOnHold(until: UnixMs): void {
    this.#onHoldUntil = until;
  }

  get isOnHold(): boolean {
    return this.#onHoldUntil > 0;
  }

  /** After failures one at a time, until a success. */
  take(now: UnixMs): readonly DueDelivery[] {
    if (this.endpoint.state !== 'active' || now < this.#restsUntil) return [];
    const some = this.#ready.splice(0, Math.max(0, this.#width - this.#sending));
    this.#sending += some.length;
    return some;
  }

  /** Whether it accepts deliveries and has enough of them ready. */
  get isBusy(): boolean {
    return this.endpoint.state === 'active' && this.#failures === 0 && this.#ready.length > this.#most / 4;
  }

  /** Whether an attempt is likely to end at once. */
  get isQuick(): boolean {
    return this.#isQuick && this.#failures === 0;
  }

  late(): void {
    this.#isQuick = false;
  }

  ended(kind: Outcome['kind'], now: UnixMs, tookMs = Number.POSITIVE_INFINITY): void {
    this.#sending -= 1;
    const isTaken = kind === 'delivered';
    this.#failures = isTaken ? 0 : this.#failures + 1;
    this.#isQuick = isTaken && tookMs <= QUICK_ATTEMPT_MS;
    if (isTaken) this.#width = Math.min(MAX_CONCURRENT_DELIVERIES, this.#width * 2);
    else if (/* guard: failing-endpoint-width */ restAfter(this.#failures) > 0) this.#width = 1;
    const rest = kind === 'gone' ? GONE_MS : restAfter(this.#failures);
    this.#restsUntil = kind === 'delivered' ? 0 : now + rest;
  }

  recorded(deliveryId: string): void {
    this.#known.delete(deliveryId);
  }

  nextAt(): UnixMs {
    if (this.endpoint.state !== 'active') return Number.POSITIVE_INFINITY;
    if (this.#sending >= this.#width) return Number.POSITIVE_INFINITY;
    return Math.max(this.#restsUntil, this.#ready.length > 0 ? 0 : Math.max(this.#readAt, this.#onHoldUntil));
  }

  get #most(): number {
    return restAfter(this.#failures) > 0 ? Math.min(MAX_CONCURRENT_DELIVERIES, this.mostKept) : this.mostKept;
  }
}
