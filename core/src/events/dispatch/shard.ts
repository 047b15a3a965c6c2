import type { DeliveryRow, EndpointRow } from '../../contract/delivery-rows.js';
import type { UnixMs } from '../../contract/ids.js';
import type { Alerts, Metrics } from '../../contract/observability.js';
import type { Change, ChangeSet, DueDelivery, FeedRow, Store } from '../../contract/store.js';
import type { MetaRow } from '../../contract/store-rows.js';
import { metaChange } from '../../domain/meta-rows.js';
import { LeaseLost, type Tenure } from '../../leases/tenure.js';
import { RequestOwners } from '../endpoints/owners.js';
import { wants } from '../endpoints/settings.js';
import { ahead } from './ahead.js';
import { EndpointQueue } from './endpoint-queue.js';
import { type Planned, planTurn, type Tried, type Turn } from './plan-turn.js';
import { refill } from './refill.js';
import { shardMark } from './shards.js';
import { SoonOver } from './soon-over.js';
import { Teller, type TellerDeps } from './teller.js';

const DELIVERIES_PAGE = 200;
const MAX_WRITES_PER_TURN = 1_000;
/** Deliveries in memory per shard, subject to a minimum per endpoint. */
const MAX_IN_MEMORY = 2_048;
const [MIN_KEPT, MAX_KEPT] = [8, 256];
const POLLS_PER_ENDPOINT_READ = 4;
/** Outcomes of this period are recorded together. */
const GATHER_MS = 5;
const MAX_GATHERED_OUTCOMES = 64;
const MAX_COMMIT_TRIES = 10;
const RETRY_DELAY_MS = 1_000;
/** How long a stop waits for attempts in flight; the next lease holder repeats the others. */
const STOP_TIMEOUT_MS = 2_000;

export interface DispatchDeps extends TellerDeps {
  readonly store: Pick<
    Store,
    | 'apply'
    | 'claimLeases'
    | 'releaseLeases'
    | 'onHint'
    | 'onEvents'
    | 'events'
    | 'feedEnd'
    | 'endpoints'
    | 'openDeliveries'
    | 'dueDeliveries'
    | 'firstDue'
    | 'backlog'
    | 'deliveriesAgain'
    | 'deliveriesOf'
    | 'requests'
    | 'apiKey'
    | 'meta'
  >;
  readonly metrics: Metrics;
  readonly alerts: Alerts;
  /** Hints may be lost: an event is noticed no later than this, a change of an endpoint four times as late. */
  readonly pollMs: number;
}

/**
 * Turns are serialised, so that no decision uses rows that another turn is changing; sends continue meanwhile.
 *
 * Invariants (G9): the feed position is written with the deliveries of the events up to it, so a crash neither loses
 * nor repeats any. What was sent but not recorded is sent again by the next holder: delivery is at least once.
 * Nothing is sent after the lease ended.
 */
export class Shard {
  readonly #deps: DispatchDeps;
  readonly #number: number;
  readonly #tenure: Tenure;
  readonly #queues = new Map<string, EndpointQueue>();
  readonly #teller: Teller;
  readonly #owners: RequestOwners;
  readonly #swept = new Set<string>();
  #tried: Tried[] = [];
  /** Redeliveries not yet planned. */
  #again: readonly DeliveryRow[] = [];
  readonly #sending = new Set<Promise<void>>();
  readonly #soonOver = new SoonOver();
  #isBegun = false;
  #position: MetaRow | undefined;
  #at = 0;
  #page = DELIVERIES_PAGE;
  #lookedAt = Number.NEGATIVE_INFINITY;
  #wake: (() => void) | undefined;
  #woken = false;
  #isGathering = false;

  constructor(deps: DispatchDeps, number: number, tenure: Tenure) {
    this.#deps = deps;
    this.#number = number;
    this.#tenure = tenure;
    this.#teller = new Teller(deps);
    this.#owners = new RequestOwners(deps.store);
  }

  wake(): void {
    this.#woken = true;
    this.#wake?.();
  }

  /**
   * Runs until the lease ends. Attempts in flight are then awaited briefly, and recorded if the lease is still held.
   */
  async run(): Promise<void> {
    const end = (): void => this.wake();
    this.#tenure.ended.addEventListener('abort', end);
    try {
      while (!this.#tenure.ended.aborted) await this.#round();
    } finally {
      this.#tenure.ended.removeEventListener('abort', end);
      const over = new AbortController();
      const all = Promise.all(this.#sending).finally(() => over.abort());
      await Promise.race([all, this.#deps.clock.sleep(STOP_TIMEOUT_MS, over.signal)]);
      await this.#record();
    }
  }

  /** If outcomes cannot be recorded, the next holder repeats the attempts. */
  async #record(): Promise<void> {
    this.#tried = this.#tried.filter(({ position }) => position <= this.#at);
    try {
      while (this.#tenure.held() && this.#tried.length > 0) await this.#turn(false);
    } catch (error) {
      this.#deps.log.warn({ scope: this.#tenure.scope, err: error }, 'the last deliveries could not be recorded');
    }
  }

  /** Store failures lose no delivery or outcome: the next round starts from durable state. */
  async #round(): Promise<void> {
    const { clock, log, metrics } = this.#deps;
    this.#woken = false;
    try {
      await this.#begin();
      await this.#look();
      const more = this.#queues.size > 0 && (await this.#turn(true));
      await refill(this.#queues.values(), this.#lookMs, this.#deps);
      for (const queue of this.#queues.values()) this.#pump(queue);
      if (!more) await this.#rest();
    } catch (error) {
      if (error instanceof LeaseLost) throw error;
      this.#isBegun = false;
      metrics.count('dispatch_failures', 'Rounds of the dispatcher that failed');
      log.error({ scope: this.#tenure.scope, err: error }, 'dispatching failed, continuing from durable state');
      await clock.sleep(RETRY_DELAY_MS, this.#tenure.ended);
    }
  }

  async #begin(): Promise<void> {
    if (this.#isBegun) return;
    this.#position = await this.#deps.store.meta(this.#mark);
    this.#at = Number(this.#position?.value ?? 0);
    this.#lookedAt = Number.NEGATIVE_INFINITY;
    this.#isBegun = true;
  }

  get #lookMs(): number {
    return this.#deps.pollMs * POLLS_PER_ENDPOINT_READ;
  }

  get #mark(): string {
    return shardMark(this.#number);
  }

  async #rest(): Promise<void> {
    const { clock } = this.#deps;
    const next = Math.min(...[...this.#queues.values()].map((queue) => queue.nextAt()), Number.POSITIVE_INFINITY);
    const ms = Math.max(1, Math.min(this.#queues.size === 0 ? this.#lookMs : this.#deps.pollMs, next - clock.now()));
    const woken = new AbortController();
    this.#wake = () => woken.abort();
    if (!this.#woken) await clock.sleep(ms, woken.signal);
    this.#wake = undefined;
  }

  /** Others change endpoints and due deliveries, as an operator who requests redelivery. */
  async #look(): Promise<void> {
    const { clock, store } = this.#deps;
    if (clock.monotonic() - this.#lookedAt < this.#lookMs) return;
    const all = (await store.endpoints()).filter(({ shard }) => shard === this.#number);
    const own = all.filter((row) => row.state !== 'removed' && this.#teller.serves(row));
    const ids = new Set(own.map(({ id }) => id));
    for (const id of this.#queues.keys()) if (!ids.has(id)) this.#forget(id);
    for (const row of all) if (row.state === 'removed') await this.#sweep(row);
    const kept = Math.max(MIN_KEPT, Math.min(MAX_KEPT, Math.floor(MAX_IN_MEMORY / own.length)));
    for (const endpoint of own) {
      const queue = this.#queues.get(endpoint.id);
      if (queue === undefined) this.#queues.set(endpoint.id, new EndpointQueue(endpoint, kept));
      else {
        if (queue.endpoint.state === 'disabled' && endpoint.state === 'active')
          this.#deps.alerts.clear(`endpoint:${endpoint.id}`);
        [queue.endpoint, queue.mostKept] = [endpoint, kept];
      }
    }
    if (own.length > 0) {
      // No endpoint of the shard receives earlier events.
      this.#at = Math.max(this.#at, Math.min(...own.map(({ fromPosition }) => fromPosition)));
      for (const { endpointId, dueAt } of await store.firstDue([...ids])) this.#queues.get(endpointId)?.readFrom(dueAt);
    }
    this.#again = own.length === 0 ? [] : await store.deliveriesAgain([...ids], DELIVERIES_PAGE);
    this.#lookedAt = clock.monotonic();
  }

  #forget(id: string): void {
    this.#queues.delete(id);
    this.#teller.forget(id);
    this.#deps.alerts.clear(`endpoint:${id}`);
  }

  /** Abandons pending deliveries of a removed endpoint, one page per read of the endpoints. */
  async #sweep({ id }: EndpointRow): Promise<void> {
    if (this.#swept.has(id)) return;
    const { clock, store } = this.#deps;
    const open = await store.deliveriesOf(id, { state: 'open', limit: DELIVERIES_PAGE });
    if (open.length === 0) return void this.#swept.add(id);
    const set = { state: 'failed', lastError: 'its endpoint was removed', updatedAt: clock.now() } as const;
    const changes = open.map(
      ({ id: delivery, version }): Change => ({
        op: 'update',
        table: 'deliveries',
        key: { id: delivery },
        version,
        set,
      }),
    );
    await this.#tenure.apply({ name: 'dispatch.sweep', changes });
  }

  /** Whether a new event would be sent at once, or nothing is being sent. Other events stay in the feed. */
  get #isWaiting(): boolean {
    const queues = [...this.#queues.values()];
    const isIdle = (queue: EndpointQueue): boolean => queue.endpoint.state === 'active' && !queue.isBusy;
    return queues.some(isIdle) || !queues.some(({ isBusy }) => isBusy);
  }

  async #turn(reads: boolean): Promise<boolean> {
    const page = this.#page;
    const events = reads && this.#isWaiting ? await this.#deps.store.events(this.#at, page) : [];
    const again = reads ? this.#again : [];
    if (this.#tried.length + events.length + again.length === 0) return false;
    const { tried, planned } = await this.#decide(events, again);
    this.#take(tried, planned);
    if (reads) this.#again = [];
    // A full page: more redeliveries may follow.
    if (again.length === DELIVERIES_PAGE) this.#lookedAt = Number.NEGATIVE_INFINITY;
    const { last } = planned;
    if (last) this.#at = last.position;
    // Removed only after recording: on failure the next round records them.
    const recorded = new Set(tried);
    this.#tried = this.#tried.filter((one) => !recorded.has(one) || one.position > this.#at);
    const isCut = last !== events.at(-1);
    // Shrinks when a turn cannot process all events read.
    this.#page = isCut && last ? Math.max(1, events.indexOf(last) + 1) : Math.min(DELIVERIES_PAGE, page * 2);
    return (
      this.#tried.length >= MAX_GATHERED_OUTCOMES || isCut || events.length === page || again.length === DELIVERIES_PAGE
    );
  }

  async #decide(
    events: readonly FeedRow[],
    again: readonly DeliveryRow[],
  ): Promise<{ readonly tried: readonly Tried[]; readonly planned: Planned }> {
    const { store, clock } = this.#deps;
    const requests = [...new Set([...this.#tried, ...events, ...again].map(({ requestId }) => requestId))];
    const look = async (): Promise<Pick<Turn, 'endpoints' | 'open' | 'wants'>> => {
      const endpoints = new Map([...this.#queues].map(([id, { endpoint }]) => [id, endpoint]));
      const open = await store.openDeliveries(requests, [...endpoints.keys()]);
      return { endpoints, open, wants: await this.#wanting(endpoints, events) };
    };
    let seen = await look();
    if (events.length > 0) await this.#reportAhead({ ...seen, events });
    // Open deliveries of other requests are unknown: their outcomes wait for the next turn.
    const known = new Set(requests);
    const tried = this.#tried.slice(0, MAX_WRITES_PER_TURN);
    const recorded = tried.filter(({ requestId }) => known.has(requestId));
    for (let tries = 1; ; tries += 1) {
      const now = clock.now();
      const planned = planTurn({ ...seen, events, tried: recorded, now });
      const position = this.#positionAfter(planned.last);
      const changes = [...planned.changes, ...(position === undefined ? [] : [position.change])];
      if (changes.length === 0) return { tried: recorded, planned };
      const outcome = await this.#tenure.apply({ name: 'dispatch.turn', changes } satisfies ChangeSet);
      if (outcome.ok) {
        if (position !== undefined) this.#position = position.row;
        return { tried: recorded, planned };
      }
      const { table, key } = outcome.conflict;
      if (tries >= MAX_COMMIT_TRIES)
        throw new Error(`dispatch.turn: gave up after ${tries} conflicts, the last on ${table}/${key}`);
      // An endpoint changed, or redelivery was requested.
      if (table === 'meta') this.#position = await store.meta(this.#mark);
      this.#lookedAt = Number.NEGATIVE_INFINITY;
      await this.#look();
      seen = await look();
    }
  }

  /** Sends before writing, so that a quick outcome is written together with its row. */
  async #reportAhead(turn: Omit<Turn, 'tried' | 'now'>): Promise<void> {
    const { clock } = this.#deps;
    const now = clock.now();
    const quick: DeliveryRow[] = [];
    const queues = this.#queue(ahead(turn, now), now, (queue, added) => {
      if (queue.isQuick) quick.push(...added.map(({ delivery }) => delivery));
    });
    const over = this.#soonOver.wait(quick, clock, this.#tenure.ended);
    for (const queue of queues) this.#pump(queue);
    const late = await over;
    for (const { id, endpointId } of quick) if (late.has(id)) this.#queues.get(endpointId)?.late();
  }

  #queue(
    due: readonly DueDelivery[],
    now: UnixMs,
    reported: (queue: EndpointQueue, added: readonly DueDelivery[]) => void = () => undefined,
  ): Set<EndpointQueue> {
    const byEndpoint = new Map<string, DueDelivery[]>();
    for (const one of due) {
      const { endpointId } = one.delivery;
      const some = byEndpoint.get(endpointId);
      if (some) some.push(one);
      else byEndpoint.set(endpointId, [one]);
    }
    const queues = new Set<EndpointQueue>();
    for (const [id, some] of byEndpoint) {
      const queue = this.#queues.get(id);
      if (queue === undefined) continue;
      reported(queue, queue.add(some, now));
      queues.add(queue);
    }
    return queues;
  }

  /** Owners of requests are looked up only for endpoints with filters. */
  async #wanting(endpoints: Turn['endpoints'], events: readonly FeedRow[]): Promise<Turn['wants']> {
    const some = [...endpoints.values()].some(({ integratorId }) => integratorId !== null);
    if (!some || events.length === 0) return () => true;
    const owner = await this.#owners.of(events.map(({ requestId }) => requestId));
    const payloads = new Map(events.map(({ id, payload }) => [id, JSON.parse(payload) as unknown]));
    return (endpoint, { id, requestId }) => wants(endpoint, payloads.get(id), owner(requestId));
  }

  #positionAfter(last: FeedRow | undefined): { readonly row: MetaRow; readonly change: Change } | undefined {
    if (last === undefined) return undefined;
    const [key, value] = [this.#mark, String(last.position)];
    const before = this.#position;
    return { row: { key, version: (before?.version ?? 0) + 1, value }, change: metaChange(before, key, value) };
  }

  #take(tried: readonly Tried[], { due, later, endpoints, givenUp }: Planned): void {
    const { alerts, clock, log } = this.#deps;
    for (const { endpointId, deliveryId } of tried) this.#queues.get(endpointId)?.recorded(deliveryId);
    for (const endpoint of endpoints) {
      const queue = this.#queues.get(endpoint.id);
      if (queue) queue.endpoint = endpoint;
      const alert = `endpoint:${endpoint.id}`;
      if (endpoint.state === 'active') continue;
      const facts = { endpoint: endpoint.id, reason: endpoint.reason };
      alerts.raise(alert, 'An endpoint is sent nothing any more; its events are stored', facts);
      log.warn(facts, 'endpoint disabled');
    }
    for (const { endpointId, eventId, lastError } of givenUp)
      log.warn({ endpoint: endpointId, event: eventId, why: lastError }, 'delivery abandoned');
    const now = clock.now();
    this.#queue(due, now);
    for (const [id, at] of later) this.#queues.get(id)?.readFrom(at);
  }

  /** Ready deliveries are first of their request, so they wait for no other outcome. */
  #pump(queue: EndpointQueue): void {
    const isHeld = this.#tenure.held() && !this.#tenure.ended.aborted;
    for (const due of isHeld ? queue.take(this.#deps.clock.now()) : []) {
      const sending: Promise<void> = this.#send(queue, due).finally(() => {
        this.#sending.delete(sending);
        if (this.#queues.get(queue.endpoint.id) === queue) this.#pump(queue);
      });
      this.#sending.add(sending);
    }
  }

  #gather(): void {
    if (this.#tried.length >= MAX_GATHERED_OUTCOMES) return this.wake();
    if (this.#isGathering) return;
    this.#isGathering = true;
    void this.#deps.clock.sleep(GATHER_MS, this.#tenure.ended).then(() => {
      this.#isGathering = false;
      this.wake();
    });
  }

  async #send(queue: EndpointQueue, { delivery, event }: DueDelivery): Promise<void> {
    const { clock, metrics } = this.#deps;
    const { channel } = queue.endpoint;
    const [at, begun] = [clock.now(), clock.monotonic()];
    const outcome = await this.#teller.report(queue.endpoint, delivery.attempts + 1, event);
    const took = clock.monotonic() - begun;
    const labels = { channel, outcome: outcome.kind };
    metrics.count('deliveries', 'Delivery attempts, by outcome', labels);
    metrics.observe('delivery', 'Duration of a delivery attempt', took, { channel });
    queue.ended(outcome.kind, clock.now(), took);
    const { id: deliveryId, endpointId, requestId, position, attempts } = delivery;
    this.#tried.push({ deliveryId, endpointId, requestId, position, attempts, at, outcome });
    if (!this.#soonOver.ended(deliveryId)) this.#gather();
    if (outcome.kind === 'delivered' && delivery.attempts === 0) {
      const help = 'Time from a change of a request to its first arrival at an endpoint';
      metrics.observe('event_to_endpoint', help, Math.max(0, clock.now() - event.createdAt), { channel });
    }
  }
}
