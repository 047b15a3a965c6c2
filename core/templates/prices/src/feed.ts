import { type Clock, type Logger, NotWrittenError, type UsdPrice } from '@causeway/core';
import { ask } from './http/ask.js';
import type { Options } from './options.js';
import { pricesOf } from './reading.js';

/** Asks again and again, and keeps what it learnt last. Trouble leaves what is known as old as it is. */
export class Feed {
  readonly #options: Options;
  readonly #clock: Clock;
  readonly #log: Logger;
  readonly #ending = new AbortController();
  #known: ReadonlyMap<string, UsdPrice> = new Map();
  #asking: Promise<void> = Promise.resolve();

  constructor(options: Options, clock: Clock, log: Logger) {
    this.#options = options;
    this.#clock = clock;
    this.#log = log;
  }

  /** What was learnt last of a name at the feed, whatever its age. From memory. */
  known(name: string): UsdPrice | undefined {
    return this.#known.get(name);
  }

  /** Waits for the first answer, and goes on without one. */
  async start(): Promise<void> {
    await this.#round();
    this.#asking = this.#rounds();
  }

  async stop(): Promise<void> {
    this.#ending.abort();
    await this.#asking;
  }

  async #rounds(): Promise<void> {
    while (!this.#ending.signal.aborted) {
      await this.#clock.sleep(this.#options.everyMs, this.#ending.signal);
      if (!this.#ending.signal.aborted) await this.#round();
    }
  }

  async #round(): Promise<void> {
    const { url, timeoutMs } = this.#options;
    // The price is at least as old as the question.
    const at = this.#clock.now();
    try {
      const read = pricesOf(await ask(url, timeoutMs, this.#clock, this.#ending.signal));
      this.#known = new Map([...this.#known, ...[...read].map(([name, usd]) => [name, { usd, at }] as const)]);
    } catch (error) {
      if (error instanceof NotWrittenError) throw error;
      this.#log.warn({ why: error instanceof Error ? error.message : 'unknown' }, 'prices could not be read');
    }
  }
}
