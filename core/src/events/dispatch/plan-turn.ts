import type { DeliveryRow, EndpointRow } from '../../contract/delivery-rows.js';
import type { RequestId, UnixMs } from '../../contract/ids.js';
import type { EndpointAnswer } from '../../contract/notifier.js';
import type { Change, DueDelivery, FeedRow } from '../../contract/store.js';
import { deliveryOf } from './delivery-of.js';
import { PATIENCE_MS } from './schedule.js';

/** What one try came to. */
export type Outcome = { readonly answer?: EndpointAnswer } & (
  | { readonly kind: 'delivered' }
  /** Not before `dueAt` again. */
  | { readonly kind: 'retry'; readonly dueAt: UnixMs; readonly why: string }
  /** The endpoint wants nothing any more. */
  | { readonly kind: 'gone'; readonly why: string }
);

export interface Tried {
  readonly deliveryId: string;
  readonly requestId: RequestId;
  readonly endpointId: string;
  /** Of the event in the feed. */
  readonly position: number;
  /** Tries that were recorded before it. */
  readonly attempts: number;
  /** When the try began. */
  readonly at: UnixMs;
  readonly outcome: Outcome;
}

export interface Turn {
  readonly endpoints: ReadonlyMap<string, EndpointRow>;
  /** The next events of the feed, in its order. */
  readonly events: readonly FeedRow[];
  /** Those of events that come in this turn were told ahead of it: they are written with what came of them. */
  readonly tried: readonly Tried[];
  /** All deliveries that are not over of the requests of both, and of those that are wanted again, the earliest events first. */
  readonly open: readonly DeliveryRow[];
  /** Whether an endpoint is to be told of an event. */
  readonly wants: (endpoint: EndpointRow, event: FeedRow) => boolean;
  readonly now: UnixMs;
}

export interface Planned {
  readonly changes: readonly Change[];
  /** Of those events the last that is dealt with: where they are for many endpoints, the rest is for the next turn. */
  readonly last: FeedRow | undefined;
  /** Inserted, and due at once. */
  readonly due: readonly DueDelivery[];
  /** Endpoints that have something due which is not among those, by the time when it is. */
  readonly later: ReadonlyMap<string, UnixMs>;
  /** Endpoints that changed, as they are then. */
  readonly endpoints: readonly EndpointRow[];
  readonly givenUp: readonly DeliveryRow[];
}

/** New deliveries of one turn, after which no further event is begun: other writers of the database wait for a turn. */
export const MOST_ROWS = 1_000;

type Changed<T> = Partial<Omit<T, 'version'>>;

/** Rows as they are in the midst of a turn, and what has to be written of them. */
class Bench {
  readonly rows = new Map<string, DeliveryRow>();
  readonly written = new Map<string, { readonly before: DeliveryRow; set: Changed<DeliveryRow> }>();
  readonly inserted: DeliveryRow[] = [];
  /** Of one request for one endpoint, the earliest event first. */
  readonly lines = new Map<string, string[]>();

  constructor(open: readonly DeliveryRow[]) {
    for (const row of open) this.#add(row);
  }

  #add(row: DeliveryRow): void {
    this.rows.set(row.id, row);
    const line = lineOf(row);
    const ids = this.lines.get(line);
    if (ids) ids.push(row.id);
    else this.lines.set(line, [row.id]);
  }

  insert(row: DeliveryRow): void {
    this.inserted.push(row);
    if (row.state !== 'delivered' && row.state !== 'failed') this.#add(row);
  }

  set(row: DeliveryRow, set: Changed<DeliveryRow>): DeliveryRow {
    const changed = { ...row, ...set };
    this.rows.set(row.id, changed);
    const written = this.written.get(row.id);
    if (written) written.set = { ...written.set, ...set };
    else this.written.set(row.id, { before: row, set });
    return changed;
  }
}

/** What is sent again gets its three days anew. */
const FROM_THE_BEGINNING = { attempts: 0, firstTriedAt: null, lastError: null } as const;

export function lineOf({ endpointId, requestId }: Pick<DeliveryRow, 'endpointId' | 'requestId'>): string {
  return `${endpointId}/${requestId}`;
}

/**
 * What one turn of the dispatcher writes: the outcomes of tries, and the deliveries of the next events.
 *
 * Invariants (G9): of one request, one delivery for an endpoint is due and those of later events are behind it, whatever fails; so they
 * reach it in their order, and no request waits for another. What is wanted again takes its place by its event. A delivery is over once it was taken or given up, and the next one of its
 * request is due with the same change. An endpoint that is disabled keeps all that it was not told yet. A try counts once, however often
 * it is written: an answer of the store that was lost may have been a yes.
 */
export function planTurn({ endpoints, events, tried, open, wants, now }: Turn): Planned {
  const bench = new Bench(open);
  const later = new Map<string, UnixMs>();
  const givenUp: DeliveryRow[] = [];
  const wake = (endpointId: string, at: UnixMs): void =>
    void later.set(endpointId, Math.min(at, later.get(endpointId) ?? Number.POSITIVE_INFINITY));

  const tries = new Map<string, Tried>();
  for (const one of tried) {
    const row = bench.rows.get(one.deliveryId);
    if (row === undefined) tries.set(one.deliveryId, one);
    // It is recorded already, or somebody else dealt with it: what is due now is due whoever wrote it.
    if (row?.state !== 'due' || row.attempts !== one.attempts) {
      for (const id of bench.lines.get(lineOf(one)) ?? []) {
        const due = bench.rows.get(id);
        if (due?.state === 'due') wake(due.endpointId, due.dueAt);
      }
      continue;
    }
    const after = bench.set(row, triedOnce(row, one, now));
    if (after.state === 'due') {
      if (one.outcome.kind === 'retry') wake(row.endpointId, after.dueAt);
      continue;
    }
    if (after.state === 'failed') givenUp.push(after);
    const line = bench.lines.get(lineOf(row)) ?? [];
    line.splice(line.indexOf(row.id), 1);
    const next = bench.rows.get(line[0] ?? '');
    if (next?.state !== 'behind') continue;
    bench.set(next, { state: 'due', dueAt: now, updatedAt: now });
    wake(row.endpointId, now);
  }

  for (const row of open) {
    if (row.state !== 'again') continue;
    const line = bench.lines.get(lineOf(row)) ?? [];
    const waits = line.some((id) => bench.rows.get(id)?.state === 'due');
    bench.set(row, { ...FROM_THE_BEGINNING, state: waits ? 'behind' : 'due', dueAt: now, updatedAt: now });
    if (!waits) wake(row.endpointId, now);
  }

  let last: FeedRow | undefined;
  for (const event of events) {
    if (bench.inserted.length >= MOST_ROWS) break;
    last = event;
    for (const endpoint of endpoints.values()) {
      if (event.position <= endpoint.fromPosition || !wants(endpoint, event)) continue;
      const id = `${endpoint.id}/${event.id}`;
      if (bench.rows.has(id)) continue;
      const waits = (bench.lines.get(lineOf({ endpointId: endpoint.id, requestId: event.requestId })) ?? []).length > 0;
      const row = deliveryOf(endpoint, event, waits ? 'behind' : 'due', now);
      const one = tries.get(id);
      if (one === undefined) bench.insert(row);
      else {
        const after = { ...row, ...triedOnce(row, one, now) };
        bench.insert(after);
        if (after.state === 'due' && one.outcome.kind === 'retry') wake(endpoint.id, after.dueAt);
        if (after.state === 'failed') givenUp.push(after);
      }
    }
  }

  const changed = endpointsAfter(endpoints, tried, now);
  const { inserted } = bench;
  const eventOf = new Map(events.map((event) => [event.id, event]));
  return {
    changes: [
      ...inserted.map((row): Change => ({ op: 'insert', table: 'deliveries', row })),
      ...[...bench.written.values()].map(({ before, set }): Change => {
        const { id, version } = before;
        return { op: 'update', table: 'deliveries', key: { id }, version, set };
      }),
      ...changed.map(({ before, set }): Change => {
        const { id, version } = before;
        return { op: 'update', table: 'endpoints', key: { id }, version, set };
      }),
    ],
    last,
    due: inserted.flatMap((delivery) => {
      const event = eventOf.get(delivery.eventId);
      return delivery.state === 'due' && delivery.attempts === 0 && event ? [{ delivery, event }] : [];
    }),
    later,
    endpoints: changed.map(({ before, set }) => ({ ...before, ...set, version: before.version + 1 })),
    givenUp,
  };
}

/** What a row becomes by what one try of it came to. */
function triedOnce(row: DeliveryRow, { at, outcome }: Tried, now: UnixMs): Changed<DeliveryRow> {
  const firstTriedAt = row.firstTriedAt ?? at;
  const { status: answerStatus = null, body: answer = null } = outcome.answer ?? {};
  const set = { attempts: row.attempts + 1, firstTriedAt, answerStatus, answer, updatedAt: now };
  if (outcome.kind === 'delivered') return { ...set, state: 'delivered', lastError: null };
  if (outcome.kind === 'retry' && now - firstTriedAt < PATIENCE_MS) {
    return { ...set, dueAt: outcome.dueAt, lastError: outcome.why };
  }
  if (outcome.kind === 'gone') {
    return { ...set, lastError: outcome.why };
  }
  return { ...set, state: 'failed', lastError: outcome.why };
}

/** Whoever took something is well; whoever took nothing for long, or says that it wants nothing any more, is disabled. */
function endpointsAfter(
  endpoints: Turn['endpoints'],
  tried: readonly Tried[],
  now: UnixMs,
): readonly { readonly before: EndpointRow; readonly set: Changed<EndpointRow> }[] {
  const byEndpoint = new Map<string, Tried[]>();
  for (const one of tried) byEndpoint.set(one.endpointId, [...(byEndpoint.get(one.endpointId) ?? []), one]);
  return [...byEndpoint].flatMap(([id, tries]) => {
    const before = endpoints.get(id);
    if (before === undefined || before.state === 'disabled') return [];
    const set = healthAfter(before, tries, now);
    return set === undefined ? [] : [{ before, set: { ...set, updatedAt: now } }];
  });
}

function healthAfter(
  { failingSince }: EndpointRow,
  tries: readonly Tried[],
  now: UnixMs,
): Changed<EndpointRow> | undefined {
  const gone = tries.map(({ outcome }) => outcome).find(({ kind }) => kind === 'gone');
  if (gone?.kind === 'gone') return { state: 'disabled', reason: gone.why };
  if (tries.some(({ outcome }) => outcome.kind === 'delivered'))
    return failingSince === null ? undefined : { failingSince: null };
  if (failingSince === null) return { failingSince: Math.min(...tries.map(({ at }) => at)) };
  if (now - failingSince < PATIENCE_MS) return undefined;
  return { state: 'disabled', reason: 'it took nothing for three days' };
}
