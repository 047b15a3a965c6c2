import type { EndpointRow } from '../../../contract/delivery-rows.js';
import type { OutboxEvent } from '../../../contract/notifier.js';
import type { ChangeSet, Store } from '../../../contract/store.js';
import type { EventRow } from '../../../contract/store-rows.js';
import { integratorOf, KEYS, keyName } from '../integrators.js';
import type { World } from '../world.js';

/** Poll interval of endpoints; sends to a removed one are wrong after twice that. */
export const POLL_INTERVAL_MS = 6_000;
const AFTER_REMOVAL_MS = 2 * POLL_INTERVAL_MS;
/** Faults that stop a process from polling or from measuring time. */
const BLINDERS = ['readFails', 'storeSlow', 'pause', 'twins', 'restoredTwins'];
/** More than a run's events. */
const ALL_ROWS = 100_000;

interface Committed {
  readonly row: EventRow;
  readonly status: string;
  readonly chains: readonly unknown[];
}

/** One endpoint by the change sets, with its arrivals. */
interface Watched {
  readonly row: EndpointRow;
  /** Event position at its creation. */
  readonly from: number;
  state: EndpointRow['state'];
  /** Virtual milliseconds. */
  removedAt: number | null;
  replays: number;
  wasDisabled: boolean;
  readonly got: Set<string>;
}

export interface Post {
  readonly endpointId: string;
  readonly event: OutboxEvent;
  readonly life: number;
}

/**
 * Compares receivers' arrivals with change sets and endpoint settings, ignoring delivery rows until the end.
 *
 * Invariants (G9): receivers get the database's content and id; per request, an event first arrives only after all
 * older ones meant for the endpoint; at the end every such event has arrived or, while sending is off, is retained.
 *
 * A restore also resets the receivers' state: later arrivals must arrive again.
 */
export class ReportedJudge {
  readonly #world: World;
  readonly #events: Committed[];
  readonly #places: Map<string, number>;
  readonly #byRequest: Map<string, string[]>;
  readonly #watched: Map<string, Watched>;
  /** Owners' verification secrets; a restore removes none. */
  readonly #secrets: Map<string, string[]>;

  constructor(world: World, from?: ReportedJudge) {
    this.#world = world;
    this.#events = from ? [...from.#events] : [];
    this.#places = new Map(from ? from.#places : []);
    this.#byRequest = new Map([...(from ? from.#byRequest : [])].map(([id, ids]) => [id, [...ids]]));
    this.#watched = new Map(
      [...(from ? from.#watched : [])].map(([id, one]) => [id, { ...one, got: new Set(one.got) }]),
    );
    this.#secrets = from ? from.#secrets : new Map();
  }

  copy(): ReportedJudge {
    return new ReportedJudge(this.#world, this);
  }

  committed(set: ChangeSet): void {
    for (const change of set.changes) {
      if (change.op === 'insert' && change.table === 'events') this.#hear(change.row);
      if (change.op === 'insert' && change.table === 'endpoints' && !this.#watched.has(change.row.id)) {
        const { row } = change;
        this.#watched.set(row.id, {
          ...{ row, from: this.#events.length, state: row.state, removedAt: null, replays: 0, wasDisabled: false },
          got: new Set(),
        });
      }
      if (change.op !== 'update' || change.table !== 'endpoints' || change.set.state === undefined) continue;
      const one = this.#watched.get(change.key.id);
      if (one === undefined) continue;
      one.state = change.set.state;
      one.wasDisabled ||= one.state === 'disabled';
      if (one.state === 'removed') {
        one.removedAt = this.#world.clock.monotonic();
        if (this.#missing(one).length > 0) this.#world.seen('endpoint removed with open events');
      }
    }
  }

  #hear(row: EventRow): void {
    const { data = {} } = JSON.parse(row.payload) as { readonly data?: Readonly<Record<string, unknown>> };
    this.#places.set(row.id, this.#events.length);
    this.#events.push({
      row,
      status: String(data['status']),
      chains: [data['originChainId'], data['destinationChainId']],
    });
    this.#byRequest.set(row.requestId, [...(this.#byRequest.get(row.requestId) ?? []), row.id]);
  }

  given(endpointId: string, secret: string): void {
    this.#secrets.set(endpointId, [...(this.#secrets.get(endpointId) ?? []), secret]);
  }

  replays(endpointId: string): void {
    const one = this.#watched.get(endpointId);
    if (one) one.replays += 1;
  }

  signed(endpointId: string, secrets: readonly string[]): void {
    const known = this.#secrets.get(endpointId);
    if (known !== undefined && !secrets.some((secret) => known.includes(secret)))
      this.#say('told-unsigned', `${endpointId} cannot verify what it is sent`);
  }

  sent(endpointId: string, event: OutboxEvent): Post {
    const { clock, faults, life } = this.#world;
    const removedAt = this.#watched.get(endpointId)?.removedAt ?? null;
    const isLate = removedAt !== null && clock.monotonic() > removedAt + AFTER_REMOVAL_MS;
    if (isLate && !BLINDERS.some((kind) => faults.has(kind)))
      this.#say('told-after-removal', `${endpointId} was sent ${event.id}`);
    return { endpointId, event, life };
  }

  received({ endpointId, event, life }: Post, body: string): void {
    // Sends of a lost database history do not count.
    if (event.kind !== 'request.status.updated' || life !== this.#world.life) return;
    const { id, requestId, sequence, position } = event;
    const place = this.#places.get(id);
    const said = place === undefined ? undefined : this.#events[place];
    const one = this.#watched.get(endpointId);
    if (one === undefined) return this.#say('delivered-to-unknown', `${endpointId} does not exist and received ${id}`);
    if (said === undefined)
      return this.#say('delivered-untrue', `${endpointId} received ${id}, which was never written`);
    const { row } = said;
    if (row.requestId !== requestId || row.sequence !== sequence || row.payload !== body)
      this.#say('delivered-untrue', `${endpointId} received ${id} as ${requestId} ${sequence} ${body}`);
    if (!this.#wants(one, said)) this.#say('delivered-to-other', `${endpointId} received ${id}`);
    const isOlder = position <= one.row.fromPosition;
    if (isOlder && one.replays === 0) this.#say('delivered-too-old', `${endpointId} is younger than ${id}`);
    this.#count(one, isOlder, id);
    if (one.got.has(id)) return;
    const early = this.#due(one, this.#byRequest.get(requestId) ?? []).find(
      (other) => other.sequence < sequence && !one.got.has(other.id),
    );
    if (early) this.#say('delivered-out-of-order', `${endpointId} received ${id} before ${early.id}`);
    // A single replay arrives in order; a second one may request older events.
    const later = isOlder && one.replays === 1 ? this.#laterOnDemand(one, event) : undefined;
    if (later !== undefined)
      this.#say('delivered-out-of-order', `${endpointId} received ${later} before ${id}, on demand`);
    one.got.add(id);
  }

  #count(one: Watched, isOlder: boolean, id: string): void {
    this.#world.seen('event received');
    if (one.got.has(id)) this.#world.seen('event again');
    if (one.row.integratorId !== null) this.#world.seen('event to a registered endpoint');
    if (isOlder) this.#world.seen('event replayed');
    if (one.wasDisabled) this.#world.seen('event after disabling');
  }

  disabled(urls: readonly string[]): readonly { readonly id: string }[] {
    return [...this.#watched.values()]
      .filter(({ row, state }) => state === 'disabled' && urls.includes(row.url ?? ''))
      .map(({ row }) => row);
  }

  unreported(): readonly string[] {
    return [...this.#watched.values()].flatMap((one) =>
      one.state === 'active' ? this.#missing(one).map(({ id }) => `${one.row.id} did not receive ${id}`) : [],
    );
  }

  /** Whether an active endpoint lacks an event or its delivery is not recorded. */
  async isReporting(store: Pick<Store, 'deliveriesOf'>): Promise<boolean> {
    if (this.unreported().length > 0) return true;
    const active = [...this.#watched.values()].filter(({ state }) => state === 'active');
    for (const { row } of active)
      if ((await store.deliveriesOf(row.id, { state: 'open', limit: 1 })).length > 0) return true;
    return false;
  }

  async judgeAll(store: Pick<Store, 'deliveriesOf' | 'endpoints'>): Promise<void> {
    for (const what of this.unreported()) this.#say('never-delivered', what);
    for (const { id, state } of await store.endpoints()) {
      const one = this.#watched.get(id);
      if (one === undefined || one.state !== state) {
        this.#say('endpoint-lost', `${id} is ${state} and was ${one?.state ?? 'not there'}`);
        continue;
      }
      const all = await store.deliveriesOf(id, { limit: ALL_ROWS });
      const open = new Set(
        all.filter((row) => row.state !== 'delivered' && row.state !== 'failed').map((row) => row.eventId),
      );
      for (const row of all)
        if (row.state === 'delivered' && !one.got.has(row.eventId))
          this.#say('taken-for-told', `${id} is said to have ${row.eventId}`);
      if (state === 'removed' && open.size > 0)
        this.#say('delivered-to-unknown', `${id} is removed, and ${open.size} are to come`);
      if (state === 'active' && open.size > 0) this.#say('never-delivered', `${id} has ${open.size} deliveries left`);
      if (state !== 'disabled') continue;
      for (const row of this.#missing(one))
        if (!open.has(row.id)) this.#say('not-kept', `${id} is disabled without ${row.id}`);
    }
  }

  /** A later event of the same request that arrived, for events older than the endpoint. */
  #laterOnDemand({ got, row: { fromPosition } }: Watched, { requestId, sequence }: OutboxEvent): string | undefined {
    return (this.#byRequest.get(requestId) ?? []).find((id) => {
      const place = this.#places.get(id) ?? 0;
      const other = this.#events[place]?.row.sequence ?? 0;
      return place < fromPosition && other > sequence && got.has(id);
    });
  }

  #missing(one: Watched): readonly EventRow[] {
    const { got } = one;
    return this.#due(
      one,
      this.#events.slice(one.from).map(({ row }) => row.id),
    ).filter(({ id }) => !got.has(id));
  }

  #due(one: Watched, ids: readonly string[]): readonly EventRow[] {
    return ids.flatMap((id) => {
      const place = this.#places.get(id) ?? -1;
      const event = this.#events[place];
      return event !== undefined && place >= one.from && this.#wants(one, event) ? [event.row] : [];
    });
  }

  #wants({ row }: Watched, { row: { requestId }, status, chains: sides }: Committed): boolean {
    if (row.integratorId === null) return true;
    const key = this.#world.ledger.row('requests', requestId)?.keyId ?? null;
    const owner = Array.from({ length: KEYS }, (_, n) => n).find((n) => keyName(n) === key);
    if (key === null || owner === undefined || integratorOf(owner) !== row.integratorId) return false;
    const { statuses, chains, keys } = JSON.parse(row.settings) as {
      readonly statuses: readonly string[];
      readonly chains: readonly unknown[];
      readonly keys: readonly string[];
    };
    const isIn = (list: readonly unknown[], some: readonly unknown[]): boolean =>
      list.length === 0 || some.some((item) => list.includes(item));
    return isIn(statuses, [status]) && isIn(chains, sides) && isIn(keys, [key]);
  }

  #say(rule: string, message: string): void {
    this.#world.findings.say(rule, message);
  }
}
