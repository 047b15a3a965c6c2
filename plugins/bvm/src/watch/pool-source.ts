import type { Clock, Logger } from '@causeway/core';
import { isTransportError, type Provider, type Providers, RpcError } from '@causeway/core/rpc';
import { openSequence, type PoolEvent, type SequenceFeed } from '../rpc/sequence.js';

export interface Listed {
  /** Names that nobody had told of before. */
  readonly news: readonly string[];
  /** What the list itself took, milliseconds. */
  readonly tookMs: number;
}

export interface PoolSourceDeps {
  readonly providers: Providers;
  readonly publishedAt: (provider: Provider) => Promise<string | undefined>;
  readonly pollMs: number;
  readonly clock: Clock;
  readonly log: Logger;
  /** Reads a whole pool. */
  readonly list: (provider: Provider) => Promise<Listed>;
  readonly onAdded: (provider: Provider, txid: string, sequence: number) => void;
  readonly onRemoved: (txid: string, sequence: number) => void;
  readonly onBlock: () => void;
  readonly onLost: () => void;
}

/** A pool whose changes are heard is listed this often all the same. */
const LISTEN_MS = 15_000;
/** A list of a large pool is a lot of work for both sides: no more than this part of the time goes into it. */
const PART = 5;
/** Between tries to find out where a provider publishes. */
const ASK_AGAIN_MS = 30_000;

/**
 * Decides when the pool of the provider in use is listed: all the time, or now and then while its changes are heard.
 *
 * A connection is believed once it told something, and no longer once a listing found what it should have told before.
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
  /** Additions that were told of since the last listing, and before that since the one before. */
  #told = new Set<string>();
  #toldBefore = new Set<string>();
  /** It was heard at the last listing already: whatever came after was to be told of. */
  #heardAtLast = false;
  /** Found by the last listing and not told of by then; it may have been on its way. */
  #untold = new Set<string>();

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
          pause = Math.max(pollMs, tookMs * (PART - 1));
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
    if (this.#untold.size > 0 && this.#heard) {
      this.#deps.log.warn({ missed: this.#untold.size }, 'the published pool left something out, listing it instead');
      this.#heard = false;
    }
    const isTold = (txid: string): boolean => this.#told.has(txid) || this.#toldBefore.has(txid);
    this.#untold = new Set(this.#heard && this.#heardAtLast ? news.filter((txid) => !isTold(txid)) : []);
    this.#heardAtLast = this.#heard;
    this.#toldBefore = this.#told;
    this.#told = new Set();
  }

  async #attach(provider: Provider | undefined): Promise<void> {
    if (provider !== this.#attached) this.#detach();
    this.#attached = provider;
    const { clock, log, publishedAt } = this.#deps;
    if (provider === undefined || this.#feed !== undefined || clock.monotonic() < this.#askAt) return;
    this.#askAt = clock.monotonic() + ASK_AGAIN_MS;
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
    this.#untold.clear();
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
        // What a block took is not told one by one.
        return this.poke();
      case 'added':
        this.#heard = true;
        this.#told.add(event.txid);
        this.#untold.delete(event.txid);
        return this.#deps.onAdded(provider, event.txid, event.sequence);
      case 'removed':
        this.#heard = true;
        this.#untold.delete(event.txid);
        return this.#deps.onRemoved(event.txid, event.sequence);
    }
  }
}
