import type { Clock, Random } from '../../contract/clock.js';
import type { Notifier, OutboxEvent } from '../../contract/notifier.js';
import type { Alerts, Logger, Metrics } from '../../contract/observability.js';
import type { Change, ChangeSet, DueDelivery, FeedRow, Store } from '../../contract/store.js';
import type { MetaRow } from '../../contract/store-rows.js';
import { LeaseLost, type Tenure } from '../../leases/tenure.js';
import { EndpointQueue } from './endpoint-queue.js';
import { type Outcome, type Planned, planTurn, type Tried } from './plan-turn.js';
import { pauseAfter } from './schedule.js';

/** Events of one turn, and outcomes of one turn. */
const PAGE = 200;
/** Polls between two looks at who is to be told. */
const LOOKS = 4;
const MOST_TRIES = 10;
const AGAIN_MS = 1_000;
/** An end waits so long for tries that are under way; what is not over by then is tried again by whoever goes on. */
const END_MS = 2_000;

export interface DispatchDeps {
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
    | 'meta'
  >;
  /** By id. */
  readonly notifiers: ReadonlyMap<string, Notifier>;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Logger;
  readonly metrics: Metrics;
  readonly alerts: Alerts;
  /** Hints are lost and may not exist: an event is noticed no later than this, a change of an endpoint four times as late. */
  readonly pollMs: number;
}

/**
 * The work of one of the dispatcher's leases: takes the events of the feed for its endpoints, sends what is due, and records what each
 * try came to. One turn after the other writes, so that nothing is decided on what another is about to change; sends go on beside.
 *
 * Invariants (G9): the position in the feed is written with the deliveries of the events up to it, so a crash anywhere loses none and
 * repeats none. What was sent and not recorded is sent again by whoever goes on: each event reaches its endpoint at least once. Nothing is
 * sent after the lease ended.
 */
export class Shard {
  readonly #deps: DispatchDeps;
  readonly #number: number;
  readonly #tenure: Tenure;
  readonly #queues = new Map<string, EndpointQueue>();
  #tried: Tried[] = [];
  readonly #sending = new Set<Promise<void>>();
  #isBegun = false;
  #position: MetaRow | undefined;
  #at = 0;
  #lookedAt = Number.NEGATIVE_INFINITY;
  #wake: (() => void) | undefined;
  #woken = false;

  constructor(deps: DispatchDeps, number: number, tenure: Tenure) {
    this.#deps = deps;
    this.#number = number;
    this.#tenure = tenure;
  }

  /** There may be something to do. */
  wake(): void {
    this.#woken = true;
    this.#wake?.();
  }

  /** Works until the lease ends. What is under way by then is awaited for a moment, and recorded if the lease is still held. */
  async run(): Promise<void> {
    const end = (): void => this.wake();
    this.#tenure.ended.addEventListener('abort', end);
    try {
      while (!this.#tenure.ended.aborted) await this.#round();
    } finally {
      this.#tenure.ended.removeEventListener('abort', end);
      const over = new AbortController();
      const all = Promise.all(this.#sending).finally(() => over.abort());
      await Promise.race([all, this.#deps.clock.sleep(END_MS, over.signal)]);
      await this.#record();
    }
  }

  /** What came of the last tries. Where it cannot be recorded they are made again, by whoever goes on. */
  async #record(): Promise<void> {
    try {
      while (this.#tenure.held() && (await this.#turn(false)));
    } catch (error) {
      this.#deps.log.warn({ scope: this.#tenure.scope, err: error }, 'the last deliveries could not be recorded');
    }
  }

  /** Trouble with the store ends no delivery and loses no outcome: the next round begins with what is durable. */
  async #round(): Promise<void> {
    const { clock, log, metrics } = this.#deps;
    this.#woken = false;
    try {
      await this.#begin();
      await this.#look();
      const more = this.#queues.size > 0 && (await this.#turn(true));
      await this.#refill();
      this.#pump();
      if (!more) await this.#rest();
    } catch (error) {
      if (error instanceof LeaseLost) throw error;
      this.#isBegun = false;
      metrics.count('dispatch_failures', 'Rounds of the dispatcher that failed');
      log.error({ scope: this.#tenure.scope, err: error }, 'dispatching failed, going on from what is durable');
      await clock.sleep(AGAIN_MS, this.#tenure.ended);
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
    return this.#deps.pollMs * LOOKS;
  }

  get #mark(): string {
    return `dispatch:${this.#number}`;
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

  /** Endpoints come, go and change by other hands; so does what is due, as when an operator has something sent again. */
  async #look(): Promise<void> {
    const { clock, notifiers, store } = this.#deps;
    if (clock.monotonic() - this.#lookedAt < this.#lookMs) return;
    const own = (await store.endpoints()).filter(
      ({ shard, channel }) => shard === this.#number && notifiers.has(channel),
    );
    const ids = new Set(own.map(({ id }) => id));
    for (const id of this.#queues.keys()) if (!ids.has(id)) this.#queues.delete(id);
    for (const endpoint of own) {
      const queue = this.#queues.get(endpoint.id);
      if (queue) queue.endpoint = endpoint;
      else this.#queues.set(endpoint.id, new EndpointQueue(endpoint));
    }
    if (own.length > 0) {
      // Nobody is there for what came before.
      this.#at = Math.max(this.#at, Math.min(...own.map(({ fromPosition }) => fromPosition)));
      for (const { endpointId, dueAt } of await store.firstDue([...ids])) this.#queues.get(endpointId)?.readFrom(dueAt);
    }
    this.#lookedAt = clock.monotonic();
  }

  /** @returns whether there is more to do at once. */
  async #turn(reads: boolean): Promise<boolean> {
    const events = reads ? await this.#deps.store.events(this.#at, PAGE) : [];
    const tried = this.#tried.slice(0, PAGE);
    if (tried.length === 0 && events.length === 0) return false;
    this.#take(tried, await this.#decide(tried, events));
    // Not before they are recorded: where that fails, they are recorded in the next round.
    this.#tried.splice(0, tried.length);
    const last = events.at(-1);
    if (last) this.#at = last.position;
    return this.#tried.length > 0 || events.length === PAGE;
  }

  async #decide(tried: readonly Tried[], events: readonly FeedRow[]): Promise<Planned> {
    const { store, clock } = this.#deps;
    const requests = [
      ...new Set([...tried.map(({ requestId }) => requestId), ...events.map(({ requestId }) => requestId)]),
    ];
    for (let tries = 1; ; tries += 1) {
      const endpoints = new Map([...this.#queues].map(([id, { endpoint }]) => [id, endpoint]));
      const now = clock.now();
      const open = (await store.openDeliveries(requests)).filter(({ endpointId }) => endpoints.has(endpointId));
      const planned = planTurn({ endpoints, events, tried, open, now });
      const position = this.#positionAfter(events.at(-1));
      const changes = [...planned.changes, ...(position === undefined ? [] : [position.change])];
      if (changes.length === 0) return planned;
      const outcome = await this.#tenure.apply({ name: 'dispatch.turn', changes } satisfies ChangeSet);
      if (outcome.ok) {
        if (position !== undefined) this.#position = position.row;
        return planned;
      }
      const { table, key } = outcome.conflict;
      if (tries >= MOST_TRIES)
        throw new Error(`dispatch.turn: gave up after ${tries} conflicts, the last on ${table}/${key}`);
      // An operator changed an endpoint or one of its deliveries.
      this.#lookedAt = Number.NEGATIVE_INFINITY;
      await this.#look();
    }
  }

  #positionAfter(last: FeedRow | undefined): { readonly row: MetaRow; readonly change: Change } | undefined {
    if (last === undefined) return undefined;
    const [key, value] = [this.#mark, String(last.position)];
    const before = this.#position;
    if (before === undefined) {
      const row: MetaRow = { key, version: 1, value };
      return { row, change: { op: 'insert', table: 'meta', row } };
    }
    const { version } = before;
    return {
      row: { key, version: version + 1, value },
      change: { op: 'update', table: 'meta', key: { key }, version, set: { value } },
    };
  }

  /** What was decided is durable. */
  #take(tried: readonly Tried[], { due, later, endpoints, givenUp }: Planned): void {
    const { alerts, clock, log } = this.#deps;
    for (const { endpointId, deliveryId } of tried) this.#queues.get(endpointId)?.recorded(deliveryId);
    for (const endpoint of endpoints) {
      const queue = this.#queues.get(endpoint.id);
      if (queue) queue.endpoint = endpoint;
      const alert = `endpoint:${endpoint.id}`;
      if (endpoint.state === 'active') continue;
      const facts = { endpoint: endpoint.id, reason: endpoint.reason };
      alerts.raise(alert, 'An endpoint is told nothing any more; what it missed is kept', facts);
      log.warn(facts, 'endpoint disabled');
    }
    for (const { endpointId, eventId, lastError } of givenUp)
      log.warn({ endpoint: endpointId, event: eventId, why: lastError }, 'delivery given up');
    const now = clock.now();
    const byEndpoint = new Map<string, DueDelivery[]>();
    for (const one of due) {
      const { endpointId } = one.delivery;
      byEndpoint.set(endpointId, [...(byEndpoint.get(endpointId) ?? []), one]);
    }
    for (const [id, some] of byEndpoint) this.#queues.get(id)?.add(some, now);
    for (const [id, at] of later) this.#queues.get(id)?.readFrom(at);
  }

  async #refill(): Promise<void> {
    const { clock, store } = this.#deps;
    for (const [id, queue] of this.#queues) {
      const now = clock.now();
      const most = queue.wants(now);
      if (most === 0) continue;
      const found = await store.dueDeliveries(id, now, most);
      queue.add(found, now);
      if (found.length === most) queue.readFrom(now);
      else for (const { dueAt } of await store.firstDue([id])) queue.readFrom(dueAt > now ? dueAt : now + this.#lookMs);
    }
  }

  #pump(): void {
    for (const queue of this.#queues.values()) {
      for (const due of this.#tenure.held() ? queue.take(this.#deps.clock.now()) : []) {
        const sending: Promise<void> = this.#send(queue, due).finally(() => {
          this.#sending.delete(sending);
          this.wake();
        });
        this.#sending.add(sending);
      }
    }
  }

  async #send(queue: EndpointQueue, { delivery, event }: DueDelivery): Promise<void> {
    const { clock, metrics } = this.#deps;
    const { channel } = queue.endpoint;
    const [at, begun] = [clock.now(), clock.monotonic()];
    const outcome = await this.#deliver(channel, delivery.attempts + 1, event);
    const labels = { channel, outcome: outcome.kind };
    metrics.count('deliveries', 'Tries to tell an endpoint of an event, by what they came to', labels);
    metrics.observe('delivery', 'Time that a try to tell an endpoint of an event took', clock.monotonic() - begun, {
      channel,
    });
    queue.ended(outcome.kind === 'delivered', clock.now());
    this.#tried.push({
      ...{ deliveryId: delivery.id, endpointId: delivery.endpointId, requestId: delivery.requestId, at, outcome },
    });
    if (outcome.kind === 'delivered' && delivery.attempts === 0) {
      const help = 'Time from a change of a request to its first arrival at an endpoint';
      metrics.observe('event_to_endpoint', help, Math.max(0, clock.now() - event.createdAt), { channel });
    }
  }

  async #deliver(channel: string, attempt: number, row: FeedRow): Promise<Outcome> {
    const { clock, log, notifiers, random } = this.#deps;
    const later = (why: string, afterMs = 0): Outcome => ({
      kind: 'retry',
      dueAt: clock.now() + Math.max(afterMs, pauseAfter(attempt, random.fraction())),
      why,
    });
    try {
      const told = await notifiers.get(channel)?.deliver(eventOf(row));
      if (told === undefined) return later('its notifier is not there any more');
      if (told.outcome === 'delivered') return { kind: 'delivered' };
      return told.outcome === 'gone' ? { kind: 'gone', why: told.why } : later(told.why, told.afterMs);
    } catch (error) {
      log.error({ channel, event: row.id, err: error }, 'a notifier threw, which is a bug of it');
      return later('the notifier threw');
    }
  }
}

function eventOf({ position, id, requestId, sequence, payload, createdAt }: FeedRow): OutboxEvent {
  return {
    ...{ position, id, requestId, sequence, createdAt, kind: 'request.status.updated' },
    payload: JSON.parse(payload) as unknown,
  };
}
