import type { EndpointRow } from '../../contract/delivery-rows.js';
import type { UnixMs } from '../../contract/ids.js';
import type { DueDelivery } from '../../contract/store.js';
import type { Outcome } from './plan-turn.js';
import { restAfter } from './schedule.js';

/** Deliveries of one endpoint that are under way at once. */
export const MOST_AT_ONCE = 8;

/** Of an endpoint whose tries end within this, the next ones are worth a wait. */
const QUICK_MS = 50;

/** Until it is disabled, which is then durable. */
const GONE_MS = 1_000;

/**
 * What one endpoint is to be told next, in memory. Each endpoint has its own, so that one that is slow, or never answers, takes nothing
 * from others.
 */
export class EndpointQueue {
  endpoint: EndpointRow;
  /** Deliveries that are kept in memory; the rest is read when its time comes. */
  mostKept: number;
  readonly #ready: DueDelivery[] = [];
  /** Ids of what is ready, under way, or over and not recorded yet. */
  readonly #known = new Set<string>();
  #sending = 0;
  /** At once at most: one until it took something, and from success to success twice as many. */
  #width = 1;
  #failures = 0;
  #isQuick = false;
  /** Nothing is sent before. */
  #restsUntil = 0;
  /** When there may be something due that is not in memory. */
  #readAt = Number.POSITIVE_INFINITY;
  /** Nothing is read before. */
  #asideUntil = 0;

  constructor(endpoint: EndpointRow, mostKept: number) {
    this.endpoint = endpoint;
    this.mostKept = mostKept;
  }

  /** Adds what has become due, unless it is known. @returns what was added: the rest is to be read when there is room. */
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

  /** Something that is not in memory is due then. */
  readFrom(at: UnixMs): void {
    this.#readAt = Math.min(this.#readAt, at);
  }

  /** How many to read now; 0: none. */
  room(now: UnixMs): number {
    if (this.endpoint.state !== 'active' || now < Math.max(this.#readAt, this.#restsUntil, this.#asideUntil)) return 0;
    if (this.#ready.length > this.#most / 8) return 0;
    // What is known already may come again.
    return this.#most + this.#known.size;
  }

  /** What was read when there was room for it. Whoever reads says then, by `readFrom`, when to read again. */
  refill(due: readonly DueDelivery[], now: UnixMs): void {
    this.#readAt = Number.POSITIVE_INFINITY;
    this.#asideUntil = 0;
    this.add(due, now);
  }

  /** What it is to be told cannot be read. */
  setAside(until: UnixMs): void {
    this.#asideUntil = until;
  }

  get isAside(): boolean {
    return this.#asideUntil > 0;
  }

  /** What is to be sent now. At first, and after failures, it is one, until one is taken. */
  take(now: UnixMs): readonly DueDelivery[] {
    if (this.endpoint.state !== 'active' || now < this.#restsUntil) return [];
    const some = this.#ready.splice(0, Math.max(0, this.#width - this.#sending));
    this.#sending += some.length;
    return some;
  }

  /** Whether it takes what it is told and has so much of it ready that it needs nothing new yet. */
  get isBusy(): boolean {
    return this.endpoint.state === 'active' && this.#failures === 0 && this.#ready.length > this.#most / 4;
  }

  /** Whether a try that begins now is likely to end at once. */
  get isQuick(): boolean {
    return this.#isQuick && this.#failures === 0;
  }

  /** A try did not end as soon as was thought. */
  late(): void {
    this.#isQuick = false;
  }

  /** A try is over, which took so many milliseconds; its outcome is to be recorded. */
  ended(kind: Outcome['kind'], now: UnixMs, tookMs = Number.POSITIVE_INFINITY): void {
    this.#sending -= 1;
    const isTaken = kind === 'delivered';
    this.#failures = isTaken ? 0 : this.#failures + 1;
    this.#isQuick = isTaken && tookMs <= QUICK_MS;
    if (isTaken) this.#width = Math.min(MOST_AT_ONCE, this.#width * 2);
    else if (restAfter(this.#failures) > 0) this.#width = 1;
    const rest = kind === 'gone' ? GONE_MS : restAfter(this.#failures);
    this.#restsUntil = kind === 'delivered' ? 0 : now + rest;
  }

  /** Its outcome is durable. */
  recorded(deliveryId: string): void {
    this.#known.delete(deliveryId);
  }

  /** When it has something to do next; Infinity: not before something happens. */
  nextAt(): UnixMs {
    if (this.endpoint.state !== 'active') return Number.POSITIVE_INFINITY;
    if (this.#sending >= this.#width) return Number.POSITIVE_INFINITY;
    return Math.max(this.#restsUntil, this.#ready.length > 0 ? 0 : Math.max(this.#readAt, this.#asideUntil));
  }

  /** Of one that takes nothing, few are kept. */
  get #most(): number {
    return restAfter(this.#failures) > 0 ? Math.min(MOST_AT_ONCE, this.mostKept) : this.mostKept;
  }
}
