import { type Clock, type Logger, NotWrittenError, type UsdPrice } from '@causeway/core';
import { ask } from './http/ask.js';
import type { Options } from './options.js';
import { pricesOf } from './reading.js';

/** Polls the feed and caches the newest price per name. After an error the cached prices remain, with their age. */
export class Feed {
  readonly #options: Options;
  readonly #clock: Clock;
  readonly #log: Logger;
  readonly #stopping = new AbortController();
  #prices: ReadonlyMap<string, UsdPrice> = new Map();
  #polling: Promise<void> = Promise.resolve();

  constructor(options: Options, clock: Clock, log: Logger) {
    this.#options = options;
    this.#clock = clock;
    this.#log = log;
  }

  /** The cached price of a name, of any age; `undefined` if none was ever read. No I/O. */
  priceOf(name: string): UsdPrice | undefined {
    return this.#prices.get(name);
  }

  /** Resolves after the first poll, even if it failed. */
  async start(): Promise<void> {
    await this.#poll();
    this.#polling = this.#pollUntilStopped();
  }

  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#polling;
  }

  async #pollUntilStopped(): Promise<void> {
    while (!this.#stopping.signal.aborted) {
      await this.#clock.sleep(this.#options.everyMs, this.#stopping.signal);
      if (!this.#stopping.signal.aborted) await this.#poll();
    }
  }

  async #poll(): Promise<void> {
    const { url, timeoutMs } = this.#options;
    // A price may be as old as the request for it, so the age counts from there.
    const at = this.#clock.now();
    try {
      const read = pricesOf(await ask(url, timeoutMs, this.#clock, this.#stopping.signal));
      this.#prices = new Map([...this.#prices, ...[...read].map(([name, usd]) => [name, { usd, at }] as const)]);
    } catch (error) {
      if (error instanceof NotWrittenError) throw error;
      this.#log.warn({ why: error instanceof Error ? error.message : 'unknown' }, 'prices could not be read');
    }
  }
}
