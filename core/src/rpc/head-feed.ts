import type { Clock } from '../contract/clock.js';
import type { UnixMs } from '../contract/ids.js';
import type { Logger } from '../contract/observability.js';
import { isTransportError } from './errors.js';
import type { HttpClient } from './http-client.js';
import type { Provider, ProviderClient, ProviderPool } from './provider-pool.js';
import { ReserveHeads } from './reserve-heads.js';
import { Subscription, type SubscriptionTopics } from './subscription.js';

export interface NamedHead {
  readonly height: number;
  readonly id: string;
}

/** Newest block of the active provider. May go back: by a reorg, or after failover. */
export type Head<H extends NamedHead, C extends ProviderClient = HttpClient> = H & {
  /** The provider that reported this head and so has its state; others may lag. */
  readonly provider: Provider<C>;
  readonly at: UnixMs;
};

export interface HeadSource<H extends NamedHead, C extends ProviderClient = HttpClient> {
  /** Null if the provider has no block yet. */
  read(provider: Provider<C>): Promise<H | null>;
  /**
   * A head; `look` for an awaited event that must be read; `tick` if the chain advanced. Throws on a malformed
   * message; polling then judges the provider. Absent: no websocket.
   */
  readonly topics?: SubscriptionTopics<News<H>>;
}

type News<H> = H | 'look' | 'tick';

/** Polling intervals, milliseconds. */
export interface Pace {
  /** While something is expected, or without a websocket. */
  readonly pollMs: number;
  /** Minimum interval while nothing is expected and a websocket reports events. Default: `pollMs`. */
  readonly restMs?: number;
}

const LOWER_HEAD_ACCEPTED_AFTER_MS = 15_000;
/** Consecutive heads found only by polling before a silent connection is replaced. */
const MAX_MISSED_HEADS = 5;
/** How long something is expected after a sign of it. */
const EXPECTED_MS = 10_000;

/** Follows the first usable provider: its websocket is a wake-up, polling is authoritative. */
export class HeadFeed<H extends NamedHead, C extends ProviderClient = HttpClient> {
  readonly #source: HeadSource<H, C>;
  readonly #providers: ProviderPool<C>;
  readonly #clock: Clock;
  readonly #log: Logger;
  readonly #pace: Required<Pace>;
  readonly #reserves: ReserveHeads<H, C>;
  readonly #stop = new AbortController();
  readonly #listeners = new Set<(head: Head<H, C>) => void>();
  #wake = new AbortController();
  #socket: Subscription<News<H>> | undefined;
  /** Last height reported by the websocket. */
  #reported = -1;
  #asked = false;
  #missed = 0;
  #isInformed = false;
  #lookedAt = Number.NEGATIVE_INFINITY;
  #expectedUntil = Number.NEGATIVE_INFINITY;
  #hintedAt = Number.NEGATIVE_INFINITY;
  #highest = { height: -1, at: 0 };
  #done: Promise<void> = Promise.resolve();
  current: Head<H, C> | undefined;

  constructor(
    source: HeadSource<H, C>,
    providers: ProviderPool<C>,
    { pollMs, restMs = pollMs }: Pace,
    services: { readonly clock: Clock; readonly log: Logger },
  ) {
    this.#source = source;
    this.#providers = providers;
    this.#pace = { pollMs, restMs };
    this.#clock = services.clock;
    this.#log = services.log;
    this.#reserves = new ReserveHeads(source, providers, services.clock);
  }

  start(): void {
    this.expect();
    const off = this.#providers.onChange(() => this.poke());
    this.#done = this.#run().finally(off);
    this.#reserves.start();
  }

  async stop(): Promise<void> {
    this.#stop.abort();
    this.poke();
    this.#socket?.close();
    await Promise.all([this.#done, this.#reserves.stop()]);
  }

  onHead(listener: (head: Head<H, C>) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /**
   * Height that a provider must have reached before an absence counts: the highest head seen from any, because after
   * failover a provider may lag. A lower head is accepted after `LOWER_HEAD_ACCEPTED_AFTER_MS`.
   */
  floor(): number {
    const { height, at } = this.#highest;
    return this.#clock.monotonic() - at > LOWER_HEAD_ACCEPTED_AFTER_MS ? (this.current?.height ?? height) : height;
  }

  poke(): void {
    this.#wake.abort();
  }

  /** A client reports news: polls now, at most once per interval, and never on a scarce provider. */
  hint(): void {
    const now = this.#clock.monotonic();
    if (
      this.#providers.active()?.rpc.isScarce === true ||
      /* guard: hint-rate */ now - this.#hintedAt < this.#pace.pollMs
    )
      return;
    this.#hintedAt = now;
    this.poke();
  }

  /** Something will land soon, such as a sent transaction: polls often for `EXPECTED_MS`. */
  expect(): void {
    const isResting = !this.#isExpecting();
    this.#expectedUntil = this.#clock.monotonic() + EXPECTED_MS;
    if (isResting) this.poke();
  }

  #isExpecting(): boolean {
    return this.#clock.monotonic() < this.#expectedUntil;
  }

  #pause(): number {
    const { pollMs, restMs } = this.#pace;
    const isReported = this.#isInformed && this.#missed === 0;
    return this.#isExpecting() || !isReported ? pollMs : restMs;
  }

  /** Resolves once `current` differs from `seen`, or when `signal` aborts. */
  changed(seen: Head<H, C> | undefined, signal: AbortSignal): Promise<void> {
    if (this.current !== seen || signal.aborted) return Promise.resolve();
    return new Promise((resolve) => {
      const end = (): void => {
        off();
        signal.removeEventListener('abort', end);
        resolve();
      };
      const off = this.onHead(end);
      signal.addEventListener('abort', end);
    });
  }

  async #run(): Promise<void> {
    while (!this.#stop.signal.aborted) {
      this.#wake = new AbortController();
      const wake = this.#wake.signal;
      const provider = this.#providers.active();
      this.#attach(provider);
      if (provider !== undefined) await this.#poll(provider);
      if (!this.#stop.signal.aborted) await this.#clock.sleep(this.#pause(), wake);
    }
  }

  #attach(provider: Provider<C> | undefined): void {
    if (this.#socket?.url === provider?.ws && provider !== undefined) return;
    this.#socket?.close();
    this.#socket = undefined;
    this.#reported = -1;
    this.#asked = false;
    this.#isInformed = false;
    const { topics: reported } = this.#source;
    if (provider?.ws === undefined || reported === undefined || this.#stop.signal.aborted) return;
    const { requests, read } = reported;
    const topics = { requests, read: (message: Parameters<typeof read>[0]) => this.#heard(() => read(message)) };
    this.#socket = new Subscription(provider.ws, topics, { clock: this.#clock }, (news) => {
      if (this.#providers.active() !== provider) return;
      this.#isInformed = true;
      if (news === 'look' || news === 'tick') {
        this.#asked = true;
        if (news === 'look') this.expect();
        else if (!this.#isExpecting() && this.#clock.monotonic() - this.#lookedAt < this.#pace.restMs) return;
        return this.poke();
      }
      this.#reported = news.height;
      this.#accept(news, provider);
    });
  }

  #heard(read: () => News<H> | undefined): News<H> | undefined {
    try {
      return read();
    } catch {
      return 'look';
    }
  }

  async #poll(provider: Provider<C>): Promise<void> {
    this.#lookedAt = this.#clock.monotonic();
    try {
      const head = await this.#source.read(provider);
      if (head === null || this.#stop.signal.aborted) return;
      this.#providers.read('heads', provider);
      const fresh = head.id !== this.current?.id;
      this.#accept(head, provider);
      this.#watchSocket(head.height, fresh);
    } catch (error) {
      this.#providers.unread('heads', provider, error);
      if (!isTransportError(error))
        this.#log.warn({ provider: provider.name, error: String(error) }, 'cannot read the head');
    }
  }

  /**
   * Only heads found by polling count against a silent connection, because between blocks every connection is silent.
   */
  #watchSocket(polled: number, fresh: boolean): void {
    if (this.#socket === undefined) return;
    if (this.#reported >= polled || this.#asked) this.#missed = 0;
    else if (fresh) this.#missed += 1;
    if (fresh) this.#asked = false;
    if (this.#missed < MAX_MISSED_HEADS) return;
    this.#missed = 0;
    this.#isInformed = false;
    this.#socket.restart();
  }

  #accept(named: H, provider: Provider<C>): void {
    if (this.#stop.signal.aborted) return;
    this.#providers.sawHead(provider, named.height);
    if (this.current?.id === named.id && this.current.provider === provider) return;
    const head: Head<H, C> = { ...named, provider, at: this.#clock.now() };
    this.current = head;
    if (head.height >= this.#highest.height) this.#highest = { height: head.height, at: this.#clock.monotonic() };
    for (const listener of [...this.#listeners]) listener(head);
  }
}
