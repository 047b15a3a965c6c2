import type { Clock } from '../contract/clock.js';
import type { Logger } from '../contract/observability.js';
import type { Change, FeedRow, Store } from '../contract/store.js';
import type { RequestRow } from '../contract/store-rows.js';
import { metaChange } from '../domain/meta-rows.js';
import { endedStatus } from '../events/ended-status.js';
import { Rounds } from '../ports/rounds.js';
import { counted, EMPTY_SERIES, type Outcome, type Series } from './buckets.js';

const KEY = 'statistics';
const WRITE_INTERVAL_MS = 10_000;
const EVENTS_PER_READ = 500;

interface Stored {
  /** Of the last event that is counted. */
  readonly position: number;
  readonly series: Series;
}

type Reads = Pick<Store, 'apply' | 'meta' | 'events' | 'feedEnd' | 'requests'>;

export interface StatisticsDeps {
  readonly store: Reads;
  readonly clock: Pick<Clock, 'every'>;
  readonly log: Logger;
}

/** Buckets as last recorded. */
export async function readStatistics(store: Pick<Store, 'meta'>): Promise<Series> {
  const row = await store.meta(KEY);
  return row === undefined ? EMPTY_SERIES : (JSON.parse(row.value) as Stored).series;
}

/**
 * Counts how requests end, from the event feed. Position and buckets are one row and written together, so that each
 * event is counted once; of several processes one succeeds, and the others read again.
 *
 * Begins with the first start: what ended before is not counted.
 */
export class StatisticsRecorder {
  readonly #rounds: Rounds;

  constructor({ store, clock, log }: StatisticsDeps) {
    this.#rounds = new Rounds(clock, WRITE_INTERVAL_MS, () =>
      recordRound(store).catch((error: unknown) => log.warn({ err: error }, 'statistics cannot be recorded now')),
    );
    void this.#rounds.run();
  }

  /** Resolves when the round in progress has ended. */
  stop(): Promise<void> {
    return this.#rounds.stop();
  }
}

/** Counts what has happened since the last round. Exposed for tests, which call it without a timer. */
export async function recordRound(store: Reads): Promise<void> {
  for (let more = true; more; ) {
    const row = await store.meta(KEY);
    if (row === undefined) {
      const first = begin(await store.feedEnd());
      await store.apply({ name: 'statistics.begin', changes: [first] });
      return;
    }
    const { position, series } = JSON.parse(row.value) as Stored;
    const events = await store.events(position, EVENTS_PER_READ);
    const last = events.at(-1);
    if (last === undefined) return;
    const ended = events.flatMap(outcomeOf);
    const requests = await store.requests([...new Set(ended.map(({ id }) => id))]);
    const byId = new Map<string, RequestRow>(requests.map((request) => [request.id, request]));
    const next = ended.reduce((sum, { id, status, at }) => {
      const { amountUsd = null, fillTimeMs = null } = byId.get(id) ?? {};
      return counted(sum, { status, at, amountUsd, fillTimeMs });
    }, series);
    const value = JSON.stringify({ position: last.position, series: next } satisfies Stored);
    const { ok } = await store.apply({ name: 'statistics.record', changes: [metaChange(row, KEY, value)] });
    more = ok && events.length === EVENTS_PER_READ;
  }
}

function begin(position: number): Change {
  const value = JSON.stringify({ position, series: EMPTY_SERIES } satisfies Stored);
  const row = { key: KEY, version: 1, value };
  return { op: 'insert', table: 'meta', row, ifAbsent: true };
}

type Ended = Pick<Outcome, 'status' | 'at'> & { readonly id: RequestRow['id'] };

function outcomeOf(event: FeedRow): readonly Ended[] {
  const status = endedStatus(event);
  return status === undefined ? [] : [{ id: event.requestId, status, at: event.createdAt }];
}
