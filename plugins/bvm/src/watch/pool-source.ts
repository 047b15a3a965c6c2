import type { Clock, Logger } from '@causeway/core';
import { isTransportError, type Provider, type Providers, RpcError } from '@causeway/core/rpc';
import { openSequence, type PoolEvent, type SequenceFeed } from '../rpc/sequence.js';

export interface Listed {
  readonly news: readonly string[];
  readonly tookMs: number;
}

export interface PoolSourceDeps {
  readonly providers: Providers;
  readonly publishedAt: (provider: Provider) => Promise<string | undefined>;
  readonly pollMs: number;
  readonly clock: Clock;
  readonly log: Logger;
  readonly list: (provider: Provider) => Promise<Listed>;
  readonly onAdded: (provider: Provider, txid: string, sequence: number) => void;
  readonly onRemoved: (txid: string, sequence: number) => void;
  readonly onBlock: () => void;
  readonly onLost: () => void;
}

/** Listing interval while announcements arrive. */
const LISTEN_MS = 15_000;
/** A large listing is expensive: it may take at most one part in this many of the time. */
const TIME_PARTS = 5;
/** Retry delay for finding a provider's publisher. */
const ASK_INTERVAL_MS = 30_000;

/**
 * Schedules mempool listings: continuous polling, or rarely while the node announces changes. A connection is trusted
 * after its first message, until a listing finds something unannounced.
 */
export class PoolSource {
  readonly #deps: PoolSourceDeps;
  readonly #stop = new AbortController();
  #wake = new AbortController();
  #done: Promise<void> = Promise.resolve();
  #attached: Provider | undefined;
  #feed: SequenceFeed | undefined;
  #askAt = 0;
  #heard = false;
  /** Announced since the last listing, and between the two before. */
  #reported = new Set<string>();
  #reportedBefore = new Set<string>();
  /** Connected at the previous listing, so later additions had to be announced. */
  #heardAtLast = false;
  /** Unannounced at the last listing; the message may have been in flight. */
  #unreported = new Set<string>();

  constructor(deps: PoolSourceDeps) {
    this.#deps = deps;
  }

  start(): void {
    const off = this.#deps.providers.onChange(() => this.poke());
    this.#done = this.#run().finally(off);
  }

  async stop(): Promise<void> {
    this.#stop.abort();
    this.poke();
    this.#detach();
    await this.#done;
  }

  poke(): void {
    this.#wake.abort();
  }

  async #run(): Promise<void> {
    const { providers, clock, log, pollMs } = this.#deps;
    while (!this.#stop.signal.aborted) {
      this.#wake = new AbortController();
      const wake = this.#wake.signal;
      const provider = providers.active();
      let pause = pollMs;
      try {
        await this.#attach(provider);
        if (provider !== undefined) {
          const { news, tookMs } = await this.#deps.list(provider);
          providers.read('the pool', provider);
          pause = Math.max(pollMs, tookMs * (TIME_PARTS - 1));
          this.#judge(news);
        }
      } catch (error) {
        if (provider === undefined || (!isTransportError(error) && !(error instanceof RpcError))) throw error;
        providers.unread('the pool', provider, error);
        if (!isTransportError(error))
          log.warn({ provider: provider.name, error: error.message }, 'the pool cannot be listed');
      }
      if (!this.#stop.signal.aborted) await clock.sleep(this.#heard ? Math.max(LISTEN_MS, pause) : pause, wake);
    }
  }

  #judge(news: readonly string[]): void {
    if (this.#unreported.size > 0 && this.#heard) {
      this.#deps.log.warn(
        { missed: this.#unreported.size },
        'the published pool left something out, listing it instead',
      );
      this.#heard = false;
    }
    const isReported = (txid: string): boolean => this.#reported.has(txid) || this.#reportedBefore.has(txid);
    this.#unreported = new Set(this.#heard && this.#heardAtLast ? news.filter((txid) => !isReported(txid)) : []);
    this.#heardAtLast = this.#heard;
    this.#reportedBefore = this.#reported;
    this.#reported = new Set();
  }

  async #attach(provider: Provider | undefined): Promise<void> {
    if (provider !== this.#attached) this.#detach();
    this.#attached = provider;
    const { clock, log, publishedAt } = this.#deps;
    if (provider === undefined || this.#feed !== undefined || clock.monotonic() < this.#askAt) return;
    this.#askAt = clock.monotonic() + ASK_INTERVAL_MS;
    const address = await publishedAt(provider);
    if (address === undefined || this.#stop.signal.aborted) return;
    const feed = await openSequence(address, (event) => this.#take(provider, event));
    if (feed === undefined) {
      log.info({ provider: provider.name }, 'zeromq is not installed, the pool is polled');
      this.#askAt = Number.POSITIVE_INFINITY;
    } else if (this.#stop.signal.aborted || this.#attached !== provider) feed.close();
    else this.#feed = feed;
  }

  #detach(): void {
    this.#feed?.close();
    this.#feed = undefined;
    this.#attached = undefined;
    this.#askAt = 0;
    this.#heard = false;
    this.#heardAtLast = false;
    this.#unreported.clear();
  }

  #take(provider: Provider, event: PoolEvent): void {
    if (provider !== this.#attached || this.#stop.signal.aborted) return;
    switch (event.kind) {
      case 'lost':
        this.#heard = false;
        this.#deps.onLost();
        return this.poke();
      case 'block':
        this.#heard = true;
        this.#deps.onBlock();
        // Removals by a block are not announced individually.
        return this.poke();
      case 'added':
        this.#heard = true;
        this.#reported.add(event.txid);
        this.#unreported.delete(event.txid);
        return this.#deps.onAdded(provider, event.txid, event.sequence);
      case 'removed':
        this.#heard = true;
        this.#unreported.delete(event.txid);
        return this.#deps.onRemoved(event.txid, event.sequence);
    }
  }
}
