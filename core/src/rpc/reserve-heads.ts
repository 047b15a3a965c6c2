import type { Clock } from '../contract/clock.js';
import { isTransportError } from './errors.js';
import type { HeadSource, NamedHead } from './head-feed.js';
import type { ProviderClient, ProviderPool } from './provider-pool.js';

const INTERVAL_MS = 60_000;

/**
 * Asks each provider in reserve for its head once a minute, one after the other, so that a dead or lagging reserve is known
 * before it is needed. A provider that limits requests tightly is left out.
 */
export class ReserveHeads<H extends NamedHead, C extends ProviderClient> {
  readonly #source: HeadSource<H, C>;
  readonly #providers: ProviderPool<C>;
  readonly #clock: Clock;
  readonly #stop = new AbortController();
  #done: Promise<void> = Promise.resolve();

  constructor(source: HeadSource<H, C>, providers: ProviderPool<C>, clock: Clock) {
    this.#source = source;
    this.#providers = providers;
    this.#clock = clock;
  }

  start(): void {
    this.#done = this.#run();
  }

  async stop(): Promise<void> {
    this.#stop.abort();
    await this.#done;
  }

  async #run(): Promise<void> {
    for (;;) {
      await this.#clock.sleep(INTERVAL_MS, this.#stop.signal);
      if (this.#stop.signal.aborted) return;
      await this.#look();
    }
  }

  async #look(): Promise<void> {
    const active = this.#providers.active();
    for (const provider of this.#providers.usable()) {
      if (this.#stop.signal.aborted) return;
      if (provider.index === active?.index || provider.rpc.isScarce === true) continue;
      try {
        const head = await this.#source.read(provider);
        if (head !== null) this.#providers.sawHead(provider, head.height);
      } catch (error) {
        // Refusals of other kinds show as a head that grows old; they matter once the provider is active.
        if (isTransportError(error)) this.#providers.failed(provider, error);
      }
    }
  }
}
