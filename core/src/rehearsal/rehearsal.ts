import type { Clock } from '../contract/clock.js';
import type { Logger } from '../contract/observability.js';
import type { Store } from '../contract/store.js';
import { replaceMeta } from '../domain/meta-rows.js';
import { Rounds } from '../ports/rounds.js';
import { counted, DAY_MS, type Day, dayIn, dayOf, dayText, type Entry, emptyDay } from './day.js';
import { type Demand, type Flow, pairOf } from './demand.js';

const FLUSH_MS = 5_000;
/** After its last quote for a pair, a payer counts as having paid it: pages ask again every few seconds. */
const SETTLE_MS = 60_000;
export const KEPT_DAYS = 31;

const MAX_PAIRS = 10_000;
const MAX_DUE = 10_000;
/** Between two rounds; more are not counted. */
const MAX_ENTRIES = 100_000;

type Reads = Pick<Store, 'apply' | 'meta'>;
type Timed = Entry & { readonly at: number };

export interface RehearsalDeps {
  readonly store: Reads;
  readonly clock: Pick<Clock, 'every' | 'now'>;
  readonly log: Logger;
}

/**
 * What a rehearsal counts: by UTC day, in one row each, written over after a month. Bounded for any number of quotes.
 *
 * A payer's quotes for one pair are one fill, of its last amount, once it asks no more for a minute. Quotes in memory are
 * counted by a stop; a crash loses the last minute.
 */
export class Rehearsal {
  readonly #deps: RehearsalDeps;
  readonly #open = new Map<string, { readonly demand: Demand; readonly at: number }>();
  readonly #entries: Timed[] = [];
  /** Deposits that are not collected yet, by time. */
  #due: { readonly at: number; readonly flow: Flow }[] = [];
  readonly #rounds: Rounds;

  constructor(deps: RehearsalDeps) {
    this.#deps = deps;
    this.#rounds = new Rounds(deps.clock, FLUSH_MS, () => this.#write(deps.clock.now() - SETTLE_MS));
  }

  priced(): void {
    this.#add({ kind: 'price', at: this.#deps.clock.now() });
  }

  refused(code: string): void {
    this.#add({ kind: 'refused', code, at: this.#deps.clock.now() });
  }

  quoted(demand: Demand): void {
    const { origin, destination } = demand;
    this.#add({ kind: 'quote', origin, destination, at: demand.at });
    const key = pairOf(demand);
    // The latest last, so that the first ones are the oldest.
    this.#open.delete(key);
    this.#open.set(key, { demand, at: this.#deps.clock.now() });
    for (const [oldest] of this.#open) {
      if (this.#open.size <= MAX_PAIRS) break;
      this.#settle(oldest);
    }
  }

  /** Writes what has happened; one at a time. */
  flush(): Promise<void> {
    return this.#rounds.run();
  }

  /** Counts every quote that is still open as filled. */
  async stop(): Promise<void> {
    await this.#rounds.stop();
    await this.#write(Number.POSITIVE_INFINITY);
  }

  #add(entry: Timed): void {
    if (this.#entries.length < MAX_ENTRIES) this.#entries.push(entry);
  }

  #settle(key: string): void {
    const { demand } = this.#open.get(key) ?? {};
    this.#open.delete(key);
    if (demand === undefined) return;
    const { at, paid, received, receivedAfterMs } = demand;
    this.#entries.push({ kind: 'filled', demand, at });
    for (const flow of paid) this.#entries.push({ kind: 'paid', ...flow, at });
    for (const flow of received) this.#due.push({ at: at + receivedAfterMs, flow });
  }

  async #write(settledBefore: number): Promise<void> {
    for (const [key, { at }] of [...this.#open]) if (at <= settledBefore) this.#settle(key);
    this.#due.sort((a, b) => a.at - b.at);
    const now = this.#deps.clock.now();
    const early = this.#due.length - MAX_DUE;
    const isThere = this.#due.filter(({ at }, n) => at <= now || n < early);
    this.#due = this.#due.slice(isThere.length);
    for (const { at, flow } of isThere) this.#entries.push({ kind: 'received', ...flow, at });
    const entries = this.#entries.splice(0).sort((a, b) => a.at - b.at);
    for (const day of new Set(entries.map(({ at }) => dayOf(at)))) {
      const ofDay = entries.filter(({ at }) => dayOf(at) === day);
      try {
        await recorded(this.#deps.store, day, ofDay);
      } catch (error) {
        this.#deps.log.warn({ err: error, quotes: ofDay.length }, 'what a rehearsal counted could not be written');
      }
    }
  }
}

/** Days of the last month, the latest last. */
export async function rehearsedDays(store: Pick<Store, 'meta'>, now: number): Promise<readonly Day[]> {
  const rows = await Promise.all(Array.from({ length: KEPT_DAYS }, (_, n) => store.meta(keyOf(n * DAY_MS))));
  return rows
    .flatMap((row) => (row === undefined ? [] : [dayIn(row.value)]))
    .filter(({ at }) => at > now - KEPT_DAYS * DAY_MS)
    .sort((a, b) => a.at - b.at);
}

/** A month's days have a row each. */
function keyOf(at: number): string {
  return `rehearsal:${(at / DAY_MS) % KEPT_DAYS}`;
}

async function recorded(store: Reads, at: number, entries: readonly Entry[]): Promise<void> {
  const ok = await replaceMeta(store, 'rehearsal.record', keyOf(at), (value) => {
    const known = value === undefined ? undefined : dayIn(value);
    // Entries of a day whose row a later day has taken.
    if (known !== undefined && known.at > at) return undefined;
    return dayText(entries.reduce(counted, known?.at === at ? known : emptyDay(at)));
  });
  if (!ok) throw new Error('other processes write the same row');
}
