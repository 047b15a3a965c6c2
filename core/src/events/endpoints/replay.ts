import type { Clock } from '../../contract/clock.js';
import type { DeliveryRow, EndpointRow } from '../../contract/delivery-rows.js';
import type { RequestId, UnixMs } from '../../contract/ids.js';
import type { Change, FeedRow, RequestMark, Store } from '../../contract/store.js';
import { deliveryOf } from '../dispatch/delivery-of.js';
import { shardMark } from '../dispatch/shards.js';
import { wants } from './settings.js';

const [MAX_EVENTS, MAX_REQUESTS] = [5_000, 2_000];
const REQUESTS_PAGE = 25;

export interface ReplayDeps {
  readonly store: Pick<Store, 'apiKeysOf' | 'apply' | 'deliveries' | 'eventsOf' | 'meta' | 'requestsOfKey'>;
  readonly clock: Clock;
  readonly turns: ReplayTurns;
}

/** Progress of a replay: along its integrator's keys, and per key along requests by last change. */
export interface ReplayMark extends RequestMark {
  readonly keyId: string;
}

export interface ReplayWish {
  /** Inclusive, Unix milliseconds. */
  readonly since: UnixMs;
  /** Exclusive; undefined: now. */
  readonly until?: UnixMs;
  /** Only abandoned deliveries. */
  readonly failedOnly: boolean;
  readonly after?: ReplayMark;
}

export interface Replayed {
  readonly count: number;
  readonly after: ReplayMark | null;
}

/**
 * Serialises parts of replays, so that no replay occupies the database for longer than one part. First come, first served
 * is fair: an integrator has one replay at a time, which waits for one part at a time.
 */
export class ReplayTurns {
  #last: Promise<unknown> = Promise.resolve();

  take<T>(part: () => Promise<T>): Promise<T> {
    const turn = this.#last.then(part);
    this.#last = turn.catch(() => undefined);
    return turn;
  }
}

/**
 * Each event keeps its id, and its order within the request. Reads only requests of the endpoint's integrator.
 *
 * Invariant: only events that are older than the endpoint or processed by its shard. Only the dispatcher writes
 * deliveries of later ones, and makes deliveries due, under its lease.
 */
export async function replay(deps: ReplayDeps, endpoint: EndpointRow, wish: ReplayWish): Promise<Replayed> {
  const { store, turns } = deps;
  const { since, after } = wish;
  const processed = Number((await store.meta(shardMark(endpoint.shard)))?.value ?? 0);
  const dealtWith = Math.max(processed, endpoint.fromPosition);
  const wanted = { ...wish, dealtWith };
  const keys = (await store.apiKeysOf(endpoint.integratorId ?? '')).map(({ id }) => id).sort();
  let [count, events, requests] = [0, 0, 0];
  for (const keyId of keys.filter((id) => after === undefined || id >= after.keyId)) {
    // Each event changes its request: requests unchanged since then have no newer events.
    let mark: RequestMark = after?.keyId === keyId ? after : { updatedAt: since, id: '' };
    for (let more = true; more; ) {
      if (events >= MAX_EVENTS || requests >= MAX_REQUESTS) return { count, after: { keyId, ...mark } };
      const part = await turns.take(() => replayPart(deps, endpoint, { keyId, mark, wanted }));
      count += part.count;
      events += part.events;
      requests += part.marks.length;
      mark = part.marks.at(-1) ?? mark;
      more = part.marks.length === REQUESTS_PAGE;
    }
  }
  return { count, after: null };
}

interface Part {
  readonly keyId: string;
  readonly mark: RequestMark;
  readonly wanted: ReplayWish & { readonly dealtWith: number };
}

async function replayPart(deps: ReplayDeps, endpoint: EndpointRow, { keyId, mark, wanted }: Part) {
  const { store } = deps;
  const { since, until = Number.POSITIVE_INFINITY, dealtWith, failedOnly } = wanted;
  const marks = await store.requestsOfKey(keyId, mark, REQUESTS_PAGE);
  const owner = { keyId, integratorId: endpoint.integratorId };
  const own: FeedRow[] = [];
  let events = 0;
  for (const { id } of marks) {
    const all = await store.eventsOf(id as RequestId, 0);
    events += all.length;
    for (const event of all) {
      const { position, createdAt, payload } = event;
      const isAsked = createdAt >= since && createdAt < until && /* guard: replay-position */ position <= dealtWith;
      if (isAsked && wants(endpoint, JSON.parse(payload) as unknown, owner)) own.push(event);
    }
  }
  return { marks, events, count: own.length === 0 ? 0 : await again(deps, endpoint, own, failedOnly) };
}

/** False if the delivery is still open, or was changed concurrently. */
export async function replayOne(
  { store, clock }: Pick<ReplayDeps, 'store' | 'clock'>,
  row: DeliveryRow,
): Promise<boolean> {
  if (row.state !== 'delivered' && row.state !== 'failed') return false;
  return (await store.apply({ name: 'deliveries.again', changes: [wanted(row, clock.now())] })).ok;
}

async function again(
  { store, clock }: ReplayDeps,
  endpoint: EndpointRow,
  own: readonly FeedRow[],
  failedOnly: boolean,
): Promise<number> {
  const known = new Map(
    (await store.deliveries(own.map(({ id }) => `${endpoint.id}/${id}`))).map((row) => [row.eventId, row]),
  );
  const now = clock.now();
  const changes = own.flatMap((event): Change[] => {
    const row = known.get(event.id);
    if (row === undefined)
      return failedOnly
        ? []
        : [{ op: 'insert', table: 'deliveries', row: deliveryOf(endpoint, event, 'again', now), ifAbsent: true }];
    const isOver = row.state === 'failed' || (row.state === 'delivered' && !failedOnly);
    return isOver ? [wanted(row, now)] : [];
  });
  if (changes.length === 0) return 0;
  if ((await store.apply({ name: 'deliveries.again', changes })).ok) return changes.length;
  // After a conflict each delivery is retried in its own change set.
  let count = 0;
  for (const change of changes) if ((await store.apply({ name: 'deliveries.again', changes: [change] })).ok) count += 1;
  return count;
}

function wanted({ id, version }: DeliveryRow, now: UnixMs): Change {
  return { op: 'update', table: 'deliveries', key: { id }, version, set: { state: 'again', updatedAt: now } };
}
