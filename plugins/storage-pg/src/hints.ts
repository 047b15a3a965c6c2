import type { Clock, Logger } from '@causeway/core';
import pg from 'pg';
import type { Connections } from './connections/connections.js';

export interface HintsOptions {
  readonly url: string;
  readonly channel: string;
  readonly self: string;
  readonly connectTimeoutMs: number;
  readonly keepAliveMs: number;
  /** Interval and time-out of the listening connection's liveness check. */
  readonly checkMs: number;
}

export interface HintsDeps {
  readonly clock: Pick<Clock, 'sleep'>;
  readonly log: Logger;
  readonly connections: Connections;
}

const GATHER_MS = 20;
const FIRST_PAUSE_MS = 100;
const MAX_PAUSE_MS = 10_000;

/**
 * LISTEN and NOTIFY only wake pollers early: a lost notice costs latency, never correctness.
 *
 * Notices are statements of their own. NOTIFY inside a change set would serialize commits, because the server orders
 * notices by a lock that it holds through the flush.
 */
export class Hints {
  readonly #options: HintsOptions;
  readonly #deps: HintsDeps;
  readonly #listeners = new Set<() => void>();
  readonly #stopping = new AbortController();
  #following: Promise<void> | undefined;
  #sending: Promise<void> | undefined;

  constructor(options: HintsOptions, deps: HintsDeps) {
    this.#options = options;
    this.#deps = deps;
  }

  start(): void {
    this.#following = this.#follow();
  }

  /** Never rejects. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    await Promise.all([this.#following, this.#sending]);
  }

  listen(listener: () => void): () => void {
    const own = () => listener();
    this.#listeners.add(own);
    return () => void this.#listeners.delete(own);
  }

  announce(): void {
    if (this.#stopping.signal.aborted) return;
    this.#sending ??= this.#send().finally(() => {
      this.#sending = undefined;
    });
  }

  async #send(): Promise<void> {
    const { clock, connections, log } = this.#deps;
    await clock.sleep(GATHER_MS, this.#stopping.signal);
    const { channel, self } = this.#options;
    try {
      await connections.run({ name: 'notify', text: 'select pg_notify($1, $2)', values: [channel, self] });
    } catch (error) {
      log.debug({ error: String(error) }, 'a notice was not sent');
    }
  }

  async #follow(): Promise<void> {
    const { signal } = this.#stopping;
    for (let pause = FIRST_PAUSE_MS; !signal.aborted; ) {
      const heard = await this.#connection();
      pause = heard ? FIRST_PAUSE_MS : Math.min(pause * 2, MAX_PAUSE_MS);
      await this.#deps.clock.sleep(pause, signal);
    }
  }

  /** @returns whether it ever listened. */
  async #connection(): Promise<boolean> {
    const { url, channel, self, connectTimeoutMs, keepAliveMs } = this.#options;
    const { signal } = this.#stopping;
    const client = new pg.Client({
      connectionString: url,
      application_name: 'causeway hints',
      connectionTimeoutMillis: connectTimeoutMs,
      query_timeout: this.#options.checkMs,
      keepAlive: true,
      keepAliveInitialDelayMillis: keepAliveMs,
    });
    const over = new AbortController();
    const end = () => over.abort();
    client.on('error', end).on('end', end);
    client.on('notification', ({ payload }) => {
      if (payload !== self) this.#report();
    });
    signal.addEventListener('abort', end, { once: true });
    let listening = false;
    try {
      await client.connect();
      await client.query(`listen ${client.escapeIdentifier(channel)}`);
      listening = true;
      this.#report();
      while (!over.signal.aborted) {
        await this.#deps.clock.sleep(this.#options.checkMs, over.signal);
        // Detects a half-open connection.
        if (!over.signal.aborted) await client.query('select 1');
      }
    } catch (error) {
      this.#deps.log.debug({ error: String(error) }, 'not listening for hints');
    }
    signal.removeEventListener('abort', end);
    client.end().catch(() => undefined);
    return listening;
  }

  #report(): void {
    for (const listener of this.#listeners) listener();
  }
}
