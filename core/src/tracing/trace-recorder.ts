import type { Clock } from '../contract/clock.js';
import type { RequestId } from '../contract/ids.js';
import type { Logger } from '../contract/observability.js';
import type { FeedRow, Store } from '../contract/store.js';
import type { Tracer, TraceSpan } from '../contract/tracing.js';
import { metaChange } from '../domain/meta-rows.js';
import { endedStatus } from '../events/ended-status.js';
import { Rounds } from '../ports/rounds.js';
import { ROOT, spanIdOf, traceIdOf } from './ids.js';
import { requestSpans } from './request-spans.js';

const KEY = 'traces';
const WRITE_INTERVAL_MS = 2_000;
const EVENTS_PER_READ = 200;

type Reads = Pick<Store, 'apply' | 'meta' | 'events' | 'feedEnd' | 'shown' | 'keysOfLegs'>;

export interface TraceDeps {
  readonly store: Reads;
  readonly tracers: readonly Tracer[];
  readonly clock: Pick<Clock, 'every'>;
  readonly log: Logger;
}

/**
 * Records a request's trace when it ends, from what the ledger kept of it; nothing is measured in the money path. The position
 * is written first, so of several processes one records each, and a crash in between loses traces, never repeats a feed.
 *
 * Begins with the first start that has a tracer.
 */
export class TraceRecorder {
  readonly #deps: TraceDeps;
  readonly #rounds: Rounds;

  constructor(deps: TraceDeps) {
    this.#deps = deps;
    this.#rounds = new Rounds(deps.clock, WRITE_INTERVAL_MS, () =>
      traceRound(deps).catch((error: unknown) => deps.log.warn({ err: error }, 'traces cannot be recorded now')),
    );
    void this.#rounds.run();
  }

  /** Resolves when what has ended so far is recorded. */
  async stop(): Promise<void> {
    await this.#rounds.stop();
    await traceRound(this.#deps);
  }
}

/** Records what has ended since the last round. */
export async function traceRound({ store, tracers }: Omit<TraceDeps, 'clock' | 'log'>): Promise<void> {
  for (let more = true; more; ) {
    const row = await store.meta(KEY);
    if (row === undefined) {
      const first = { key: KEY, version: 1, value: String(await store.feedEnd()) };
      await store.apply({
        name: 'traces.begin',
        changes: [{ op: 'insert', table: 'meta', row: first, ifAbsent: true }],
      });
      return;
    }
    const events = await store.events(Number(row.value), EVENTS_PER_READ);
    const last = events.at(-1);
    if (last === undefined) return;
    const change = metaChange(row, KEY, String(last.position));
    const { ok } = await store.apply({ name: 'traces.record', changes: [change] });
    if (!ok) return;
    // The last end of a request counts.
    const ended = new Map(events.flatMap(endOf));
    for (const [id, at] of ended) await recordRequest({ store, tracers }, id, at);
    more = events.length === EVENTS_PER_READ;
  }
}

async function recordRequest({ store, tracers }: Omit<TraceDeps, 'clock' | 'log'>, id: RequestId, at: number) {
  const interested = tracers.filter((tracer) => tracer.samples(traceIdOf(id)));
  if (interested.length === 0) return;
  const view = await store.shown(id);
  if (view === undefined) return;
  const keys = await store.keysOfLegs(view.legs.map((leg) => leg.id));
  const spans = requestSpans({ ...view, keys }, at);
  for (const tracer of interested) tracer.record(spans);
}

function endOf(event: FeedRow): readonly (readonly [RequestId, number])[] {
  return endedStatus(event) === undefined ? [] : [[event.requestId as RequestId, event.createdAt]];
}

/** What it took to answer a quote. */
export function quoteSpan(requestId: RequestId, startedAt: number, endedAt: number): TraceSpan {
  const attributes = { 'causeway.request_id': requestId };
  const ids = { traceId: traceIdOf(requestId), spanId: spanIdOf(requestId, 'quote') };
  return { name: 'quote', ...ids, parentId: spanIdOf(requestId, ROOT), startedAt, endedAt, failed: false, attributes };
}
