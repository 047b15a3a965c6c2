import type { DeliveryRow, EndpointRow } from '../../contract/delivery-rows.js';
import type { RequestId, UnixMs } from '../../contract/ids.js';
import type { EndpointAnswer } from '../../contract/notifier.js';
import type { Change, DueDelivery, FeedRow } from '../../contract/store.js';
import { deliveryOf } from './delivery-of.js';
import { GIVE_UP_AFTER_MS } from './schedule.js';

export type Outcome = { readonly answer?: EndpointAnswer } & (
  | { readonly kind: 'delivered' }
  /** Not before `dueAt`. */
  | { readonly kind: 'retry'; readonly dueAt: UnixMs; readonly why: string }
  | { readonly kind: 'gone'; readonly why: string }
);

export interface Tried {
  readonly deliveryId: string;
  readonly requestId: RequestId;
  readonly endpointId: string;
  readonly position: number;
  readonly attempts: number;
  readonly at: UnixMs;
  readonly outcome: Outcome;
}

export interface Turn {
  readonly endpoints: ReadonlyMap<string, EndpointRow>;
  readonly events: readonly FeedRow[];
  /** May include deliveries sent ahead of this turn: these are inserted with their outcome. */
  readonly tried: readonly Tried[];
  /** All open deliveries of the requests of `events` and `tried`, and those requested again, earliest events first. */
  readonly open: readonly DeliveryRow[];
  readonly wants: (endpoint: EndpointRow, event: FeedRow) => boolean;
  readonly now: UnixMs;
}

export interface Planned {
  readonly changes: readonly Change[];
  /** The last processed event; with many endpoints, later ones wait for the next turn. */
  readonly last: FeedRow | undefined;
  readonly due: readonly DueDelivery[];
  readonly later: ReadonlyMap<string, UnixMs>;
  readonly endpoints: readonly EndpointRow[];
  readonly givenUp: readonly DeliveryRow[];
}

/** New deliveries per turn; then no further event is begun, because other writers of the database wait for a turn. */
export const MAX_NEW_ROWS = 1_000;

type Changed<T> = Partial<Omit<T, 'version'>>;

class Bench {
  readonly rows = new Map<string, DeliveryRow>();
  readonly written = new Map<string, { readonly before: DeliveryRow; set: Changed<DeliveryRow> }>();
  readonly inserted: DeliveryRow[] = [];
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

/** A redelivery gets the full three days. */
const FROM_THE_BEGINNING = { attempts: 0, firstTriedAt: null, lastError: null } as const;

export function lineOf({ endpointId, requestId }: Pick<DeliveryRow, 'endpointId' | 'requestId'>): string {
  return `${endpointId}/${requestId}`;
}

/**
 * The writes of one turn: outcomes of attempts, and deliveries of the next events.
 *
 * Invariants (G9): per request and endpoint one delivery is due and those of later events wait behind it, so events
 * arrive in order and no request waits for another. A redelivery is queued by the position of its event. When a
 * delivery succeeds or is abandoned, the same change makes the next one due. A disabled endpoint keeps its pending
 * deliveries. An attempt counts once, however often it is written: a lost response of the store may have been a
 * success.
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
    // The outcome was already recorded, or another writer changed the delivery.
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
    if (bench.inserted.length >= MAX_NEW_ROWS) break;
    last = event;
    for (const endpoint of endpoints.values()) {
      if (event.position <= endpoint.fromPosition || !wants(endpoint, event)) continue;
      const id = `${endpoint.id}/${event.id}`;
      if (bench.rows.has(id)) continue;
      const waits = (bench.lines.get(lineOf({ endpointId: endpoint.id, requestId: event.requestId })) ?? []).length > 0;
      const row = deliveryOf(endpoint, event, /* guard: events-in-order */ waits ? 'behind' : 'due', now);
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

function triedOnce(row: DeliveryRow, { at, outcome }: Tried, now: UnixMs): Changed<DeliveryRow> {
  const firstTriedAt = row.firstTriedAt ?? at;
  const { status: answerStatus = null, body: answer = null } = outcome.answer ?? {};
  const set = { attempts: row.attempts + 1, firstTriedAt, answerStatus, answer, updatedAt: now };
  if (outcome.kind === 'delivered') return { ...set, state: 'delivered', lastError: null };
  if (outcome.kind === 'retry' && /* guard: failed-deliveries-retry */ now - firstTriedAt < GIVE_UP_AFTER_MS) {
    return { ...set, dueAt: outcome.dueAt, lastError: outcome.why };
  }
  // guard: gone-endpoints
  if (outcome.kind === 'gone') {
    return { ...set, lastError: outcome.why };
  }
  return { ...set, state: 'failed', lastError: outcome.why };
}

/** A success resets failures; an endpoint that fails for too long, or refuses all events, is disabled. */
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
  if (now - failingSince < GIVE_UP_AFTER_MS) return undefined;
  return { state: 'disabled', reason: 'no delivery succeeded for three days' };
}
