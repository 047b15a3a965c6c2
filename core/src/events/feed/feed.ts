import type { Clock } from '../../contract/clock.js';
import type { Logger } from '../../contract/observability.js';
import type { Store } from '../../contract/store.js';
import { type FeedEvent, feedEvent } from './feed-event.js';

export interface FeedDeps {
  readonly store: Pick<Store, 'events' | 'feedEnd' | 'onHint' | 'onEvents'>;
  readonly clock: Clock;
  readonly log: Logger;
  /**
   * The result passes the page on synchronously, or returns false if a new listener requires another preparation. On
   * rejection the page comes again.
   */
  readonly prepare: (events: readonly FeedEvent[]) => Promise<() => boolean>;
  /** The feed is unreadable for too long for listeners to rely on it. Repeated while that lasts. */
  readonly onUnreadable: () => void;
}

const EVENTS_PAGE = 500;
/** Hints may be lost: this bounds the delay of a frame. */
const POLL_MS = 40;
const GATHER_MS = 5;
const RETRY_MS = 250;
/** Listening clients do not poll, so they are disconnected early rather than left in silence. */
const UNREADABLE_AFTER_MS = 3_000;
/** Events in memory for clients that resume; earlier ones are read by backlog.ts. */
export const EVENTS_IN_MEMORY = 2_000;

/** Positions are in commit order: no later event has a lower position. */
export class Feed {
  readonly #deps: FeedDeps;
  readonly #stop = new AbortController();
  #kept: FeedEvent[] = [];
  #position = 0;
  #keptFrom = 0;
  #started: Promise<void> | undefined;
  #reading: Promise<void> = Promise.resolve();
  #wake: (() => void) | undefined;
  #unhint: () => void = () => undefined;
  #running: Promise<void> | undefined;

  constructor(deps: FeedDeps) {
    this.#deps = deps;
  }

  get position(): number {
    return this.#position;
  }

  /** Everything after this position is in memory. */
  get keptFrom(): number {
    return this.#keptFrom;
  }

  /** Resolves once the end of the feed is known. Rejects when it cannot be read; the next call retries. */
  start(): Promise<void> {
    this.#started ??= this.#begin().catch((error: unknown) => {
      this.#started = undefined;
      throw error;
    });
    return this.#started;
  }

  read(): Promise<void> {
    this.#reading = this.#reading.then(
      () => this.#readAll(),
      () => this.#readAll(),
    );
    return this.#reading;
  }

  /** Oldest first; null when some events are no longer in memory. */
  since(position: number): readonly FeedEvent[] | null {
    if (position < this.#keptFrom) return null;
    const first = this.#kept.findIndex((event) => event.position > position);
    return first < 0 ? [] : this.#kept.slice(first);
  }

  async close(): Promise<void> {
    this.#stop.abort();
    this.#unhint();
    this.#wake?.();
    await this.#running;
    await this.#reading.catch(() => undefined);
  }

  async #begin(): Promise<void> {
    const end = await this.#deps.store.feedEnd();
    this.#position = Math.max(0, end - EVENTS_IN_MEMORY);
    this.#keptFrom = this.#position;
    this.#kept = [];
    // No listeners yet: these events are only stored.
    await this.read();
    const { store } = this.#deps;
    const wake = (): void => this.#wake?.();
    const ends = [store.onHint?.(wake), store.onEvents?.(wake)];
    this.#unhint = () => {
      for (const end of ends) end?.();
    };
    this.#running = this.#follow();
  }

  async #follow(): Promise<void> {
    const { clock, log } = this.#deps;
    let well = clock.monotonic();
    while (!this.#stop.signal.aborted) {
      const hinted = new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
      let wait = POLL_MS;
      const begun = clock.monotonic();
      try {
        await this.read();
        well = clock.monotonic();
      } catch (error) {
        wait = RETRY_MS;
        if (clock.monotonic() - well >= UNREADABLE_AFTER_MS) {
          log.warn({ err: error }, 'the event feed cannot be read');
          this.#deps.onUnreadable();
        }
      }
      const woken = new AbortController();
      await Promise.race([clock.sleep(wait, woken.signal), hinted]);
      woken.abort();
      const early = GATHER_MS - (clock.monotonic() - begun);
      if (early > 0) await clock.sleep(early, this.#stop.signal);
    }
  }

  async #readAll(): Promise<void> {
    for (;;) {
      if (this.#stop.signal.aborted) return;
      const events = (await this.#deps.store.events(this.#position, EVENTS_PAGE)).map(feedEvent);
      const last = events.at(-1);
      if (!last) return;
      let handOn = await this.#deps.prepare(events);
      // Passed on, stored and counted without an await: a new listener finds an event on exactly one side.
      while (!handOn()) handOn = await this.#deps.prepare(events);
      this.#kept.push(...events);
      const gone = this.#kept.splice(0, Math.max(0, this.#kept.length - EVENTS_IN_MEMORY)).at(-1);
      if (gone) this.#keptFrom = gone.position;
      this.#position = last.position;
      if (events.length < EVENTS_PAGE) return;
    }
  }
}
