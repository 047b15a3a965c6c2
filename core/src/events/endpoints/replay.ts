import type { Clock } from '../../contract/clock.js';
import type { DeliveryRow, EndpointRow } from '../../contract/delivery-rows.js';
import type { UnixMs } from '../../contract/ids.js';
import type { Change, FeedRow, Store } from '../../contract/store.js';
import { deliveryOf } from '../dispatch/delivery-of.js';
import { shardMark } from '../dispatch/shards.js';
import type { RequestOwners } from './owners.js';
import { wants } from './settings.js';

/** Events that one call looks at. */
const MOST_EVENTS = 5_000;
const PAGE = 200;

export interface ReplayDeps {
  readonly store: Pick<Store, 'apply' | 'deliveries' | 'events' | 'feedEnd' | 'meta'>;
  readonly owners: RequestOwners;
  readonly clock: Clock;
}

/** What is to be sent again. */
export interface ReplayWish {
  /** Events from then on, Unix milliseconds. */
  readonly since: UnixMs;
  /** Events before then; undefined: up to now. */
  readonly until?: UnixMs;
  /** Only what was given up. */
  readonly failedOnly: boolean;
  /** Where the call before ended: position of the feed. */
  readonly after?: number;
}

export interface Replayed {
  /** Events that will be sent. */
  readonly count: number;
  /** Where the next call goes on; null: there is no more. */
  readonly after: number | null;
}

/**
 * Has events sent to an endpoint again, or for the first time where they are older than it. Each keeps its id; of one request they keep
 * their order.
 *
 * Invariant: only events up to the position that the shard of the endpoint has dealt with. Whoever writes deliveries of later ones is the
 * dispatcher alone, and here nothing becomes due: the dispatcher makes it so, under its lease.
 */
export async function replay(deps: ReplayDeps, endpoint: EndpointRow, wish: ReplayWish): Promise<Replayed> {
  const { store } = deps;
  const dealtWith = Number((await store.meta(shardMark(endpoint.shard)))?.value ?? 0);
  let at = wish.after ?? (await positionBefore(store, wish.since));
  const end = at + MOST_EVENTS;
  let count = 0;
  for (;;) {
    const page = await store.events(at, PAGE);
    const some = page.filter(
      ({ position, createdAt }) => position <= dealtWith && createdAt < (wish.until ?? Number.POSITIVE_INFINITY),
    );
    count += await again(deps, endpoint, some, wish);
    const last = some.at(-1);
    if (last === undefined || some.length < PAGE) return { count, after: null };
    at = last.position;
    if (at >= end) return { count, after: at };
  }
}

/** One delivery, whatever became of it; false where it is not over, or somebody else changed it at the same time. */
export async function replayOne(
  { store, clock }: Pick<ReplayDeps, 'store' | 'clock'>,
  row: DeliveryRow,
): Promise<boolean> {
  if (row.state !== 'delivered' && row.state !== 'failed') return false;
  return (await store.apply({ name: 'deliveries.again', changes: [wanted(row, clock.now())] })).ok;
}

async function again(
  { store, owners, clock }: ReplayDeps,
  endpoint: EndpointRow,
  events: readonly FeedRow[],
  { failedOnly, since }: ReplayWish,
): Promise<number> {
  const owner = await owners.of(events.map(({ requestId }) => requestId));
  const own = events.filter(
    ({ createdAt, payload, requestId }) =>
      createdAt >= since && wants(endpoint, JSON.parse(payload) as unknown, owner(requestId)),
  );
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
  // Somebody else changed one of them: each by itself, so that the others are not left out.
  let count = 0;
  for (const change of changes) if ((await store.apply({ name: 'deliveries.again', changes: [change] })).ok) count += 1;
  return count;
}

function wanted({ id, version }: DeliveryRow, now: UnixMs): Change {
  return { op: 'update', table: 'deliveries', key: { id }, version, set: { state: 'again', updatedAt: now } };
}

/** Position of the last event before a time, as far as the clocks that wrote them agree. */
async function positionBefore(store: ReplayDeps['store'], since: UnixMs): Promise<number> {
  let [low, high] = [0, await store.feedEnd()];
  while (low < high) {
    const middle = Math.floor((low + high) / 2);
    const [next] = await store.events(middle, 1);
    if (next === undefined || next.createdAt >= since) high = middle;
    else low = next.position;
  }
  return low;
}
