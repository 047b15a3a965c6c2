import type { Clock } from '../../contract/clock.js';
import type { Store } from '../../contract/store.js';
import { type FeedEvent, feedEvent } from './feed-event.js';

export interface Page<Found> {
  /** All events after `from`, up to `to`. */
  readonly from: number;
  readonly to: number;
  readonly events: readonly FeedEvent[];
  readonly found: Found;
}

/** Events after `from`, up to `to`, are no longer available. */
export interface Gap {
  readonly from: number;
  readonly to: number;
}

export interface BacklogDeps<Found> {
  readonly store: Pick<Store, 'events'>;
  readonly clock: Pick<Clock, 'monotonic' | 'sleep'>;
  readonly end: () => number;
  readonly find: (events: readonly FeedEvent[]) => Promise<Found>;
}

interface Waiting<Found> {
  readonly after: number;
  readonly resolve: (page: Page<Found> | Gap) => void;
  readonly reject: (error: unknown) => void;
}

const EVENTS_PAGE = 500;
const MIN_REST_MS = 1;
const MAX_REST_MS = 50;

/**
 * Serves clients that resume far behind the feed. One shared reader pages through the outbox in ascending order and
 * starts again for clients that came later: ten thousand resuming clients cost about as much as one, and delay only
 * each other. It pauses after each page for as long as the page took.
 */
export class Backlog<Found> {
  readonly #deps: BacklogDeps<Found>;
  #waiting: Waiting<Found>[] = [];
  #reading: Promise<void> | undefined;
  readonly #stop = new AbortController();

  constructor(deps: BacklogDeps<Found>) {
    this.#deps = deps;
  }

  /** The first page after that position (before the end), or the gap before it. Rejects when it cannot be read. */
  after(position: number): Promise<Page<Found> | Gap> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ after: position, resolve, reject });
      this.#reading ??= this.#read();
    });
  }

  /** Waiters get an empty result; nothing is read after this resolves. */
  async close(): Promise<void> {
    this.#stop.abort();
    await this.#reading;
  }

  async #read(): Promise<void> {
    const { clock } = this.#deps;
    const { signal } = this.#stop;
    for (let at = 0; this.#waiting.length > 0; ) {
      const from = this.#next(at);
      const begun = clock.monotonic();
      try {
        const page = signal.aborted ? { from, to: Number.POSITIVE_INFINITY } : await this.#page(from);
        for (const { resolve } of this.#take(from, page.to)) resolve(page);
        at = page.to;
      } catch (error) {
        for (const { reject } of this.#take(0, Number.POSITIVE_INFINITY)) reject(error);
      }
      // Clients that got a page ask for the next one during this pause.
      await clock.sleep(Math.min(Math.max(MIN_REST_MS, clock.monotonic() - begun), MAX_REST_MS));
    }
    this.#reading = undefined;
  }

  #next(at: number): number {
    let [ahead, lowest] = [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY];
    for (const { after } of this.#waiting) {
      lowest = Math.min(lowest, after);
      if (after >= at) ahead = Math.min(ahead, after);
    }
    return ahead === Number.POSITIVE_INFINITY ? lowest : ahead;
  }

  #take(from: number, to: number): readonly Waiting<Found>[] {
    const taken: Waiting<Found>[] = [];
    const left: Waiting<Found>[] = [];
    for (const one of this.#waiting) (one.after >= from && one.after < to ? taken : left).push(one);
    this.#waiting = left;
    return taken;
  }

  async #page(from: number): Promise<Page<Found> | Gap> {
    const { store, end, find } = this.#deps;
    const rows = await store.events(from, EVENTS_PAGE);
    const [first, last] = [rows[0]?.position, rows.at(-1)?.position];
    if (first === undefined || last === undefined) return { from, to: Math.max(end(), from + 1) };
    if (first > from + 1) {
      // Positions may skip; only those before the oldest event were removed.
      const oldest = (await store.events(0, 1))[0]?.position ?? first;
      if (oldest > from + 1) return { from, to: oldest - 1 };
    }
    const events = rows.map(feedEvent);
    return { from, to: last, events, found: await find(events) };
  }
}
