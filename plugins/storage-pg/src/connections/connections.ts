import type { Socket } from 'node:net';
import { type Clock, DatabaseWentBackError, type Logger } from '@causeway/core';
import pg from 'pg';
import { breaksConnection, DatabaseUnreachableError, DeadlineError } from '../errors.js';
import { storable } from '../sql/text.js';

export interface ConnectionsOptions {
  /** Includes all settings. Never logged. */
  readonly url: string;
  readonly size: number;
  readonly name: string;
  readonly connectTimeoutMs: number;
  readonly keepAliveMs: number;
  readonly deadlineMs?: number;
}

export interface ConnectionsDeps {
  readonly clock: Pick<Clock, 'sleep'>;
  readonly log: Logger;
  /** Called for each new connection. @throws where it must not be used. */
  readonly admit?: (session: Held) => Promise<void>;
}

export interface Statement {
  readonly text: string;
  readonly values?: readonly unknown[];
  readonly name?: string;
}

export type Result = pg.QueryResult<Record<string, unknown>>;

export interface Held {
  /** Rejects with a DeadlineError when the answer is late; the connection is then cut. */
  query(statement: Statement): Promise<Result>;
  release(): void;
}

/**
 * No call waits longer than the deadline, after which a half-open connection is dropped. Broken connections are never
 * used again.
 */
export class Connections {
  readonly #pool: pg.Pool;
  readonly #deps: ConnectionsDeps;
  readonly #deadlineMs: number | undefined;
  readonly #admitted = new WeakSet<pg.PoolClient>();

  constructor(options: ConnectionsOptions, deps: ConnectionsDeps) {
    this.#deps = deps;
    this.#deadlineMs = options.deadlineMs;
    this.#pool = new pg.Pool({
      connectionString: options.url,
      max: options.size,
      application_name: `causeway ${options.name}`,
      connectionTimeoutMillis: options.connectTimeoutMs,
      idleTimeoutMillis: 60_000,
      keepAlive: true,
      keepAliveInitialDelayMillis: options.keepAliveMs,
    });
    const log = (error: Error) => deps.log.debug({ pool: options.name, error: error.message }, 'connection lost');
    this.#pool.on('error', log);
    // Without a listener an error of a held connection would end the process.
    this.#pool.on('connect', (client) => void client.on('error', log));
  }

  /** @throws DatabaseUnreachableError when there is no connection (nothing was sent), and what `admit` throws. */
  async hold(): Promise<Held> {
    try {
      const client = await this.#pool.connect();
      const held = this.#held(client);
      await this.#admit(client, held);
      return held;
    } catch (error) {
      if (error instanceof DatabaseWentBackError) throw error;
      throw new DatabaseUnreachableError(`no connection to the database: ${messageOf(error)}`, { cause: error });
    }
  }

  async #admit(client: pg.PoolClient, held: Held): Promise<void> {
    if (this.#admitted.has(client)) return;
    try {
      await this.#deps.admit?.(held);
      this.#admitted.add(client);
    } catch (error) {
      held.release();
      throw error;
    }
  }

  #held(client: pg.PoolClient): Held {
    let broken = false;
    return {
      query: async ({ text, values = [], name }) => {
        const config = { text, values: values.map(clean), ...(name === undefined ? {} : { name }) };
        try {
          return await this.#inTime(client, client.query<Record<string, unknown>>(config));
        } catch (error) {
          broken ||= breaksConnection(error);
          throw error;
        }
      },
      release: () => client.release(broken),
    };
  }

  async run(statement: Statement): Promise<Result> {
    const held = await this.hold();
    try {
      return await held.query(statement);
    } finally {
      held.release();
    }
  }

  end(): Promise<void> {
    return this.#pool.end();
  }

  async #inTime<T>(client: pg.PoolClient, answer: Promise<T>): Promise<T> {
    const deadline = this.#deadlineMs;
    if (deadline === undefined) return answer;
    const patience = new AbortController();
    const lapsed = this.#deps.clock.sleep(deadline, patience.signal).then(() => LAPSED);
    try {
      const first = await Promise.race([answer, lapsed]);
      if (first !== LAPSED) return first as T;
    } finally {
      patience.abort();
    }
    answer.catch(() => undefined);
    cut(client);
    throw new DeadlineError(`the database did not answer within ${deadline} ms`);
  }
}

const LAPSED = Symbol('lapsed');

/** A reset drops unsent data too: it must not arrive long after the deadline. */
function cut(client: pg.PoolClient): void {
  const { stream } = (client as unknown as { readonly connection: { readonly stream: Socket } }).connection;
  if (typeof stream.resetAndDestroy === 'function') stream.resetAndDestroy();
  else stream.destroy();
}

function clean(value: unknown): unknown {
  return typeof value === 'string' ? storable(value) : value;
}

function messageOf(error: unknown): string {
  if (error instanceof AggregateError) return error.errors.map(messageOf).join('; ');
  return error instanceof Error ? error.message : String(error);
}
