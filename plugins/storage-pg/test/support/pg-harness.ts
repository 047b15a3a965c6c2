import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Alerts, Clock, Logger, Metrics, Random, Store } from '@causeway/core';
import { type StoreHarness, type TcpProxy, tcpProxy } from '@causeway/core/testing';
import pg from 'pg';
import { type PgOptions, type PgStoreDeps, pgStore } from '../../src/index.js';
import { type PostgresServer, startPostgres } from './postgres.js';

export const clock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  sleep: (ms, signal) =>
    new Promise((resolve) => {
      if (signal?.aborted) return resolve();
      const timer = setTimeout(done, ms);
      function done() {
        clearTimeout(timer);
        signal?.removeEventListener('abort', done);
        resolve();
      }
      signal?.addEventListener('abort', done, { once: true });
    }),
  every: () => () => undefined,
};

const hex = (length: number) => `0x${randomBytes(length).toString('hex')}` as const;
export const random: Random = { bytes: (length) => randomBytes(length), hex, fraction: () => Math.random() };

const quiet = () => undefined;
export const log: Logger = { debug: quiet, info: quiet, warn: quiet, error: quiet, child: () => log };
export const metrics: Metrics = { count: quiet, gauge: quiet, observe: quiet };
export const alerts: Alerts = { raise: quiet, clear: quiet, list: () => [] };

export const OPTIONS: Omit<PgOptions, 'url'> = {
  schema: 'causeway',
  pool: { writers: 8, readers: 4 },
  connectTimeoutMs: 5_000,
  statementTimeoutMs: 10_000,
  keepAliveMs: 10_000,
  hints: true,
  synchronousStandby: false,
};

export function storeOn(url: string, options: Partial<PgOptions> = {}, deps: Partial<PgStoreDeps> = {}): Store {
  return pgStore(
    { ...OPTIONS, url, ...options },
    { clock, random, log, metrics, alerts, hiddenChains: () => [], ...deps },
  );
}

export function plainPool(url: string, max: number): pg.Pool {
  return new pg.Pool({ connectionString: url, max });
}

export interface PgHarness extends StoreHarness {
  readonly url: string;
  readonly proxy: TcpProxy;
  second(): Promise<Store>;
  crash(): Promise<Store>;
  client(): Promise<pg.Client>;
}

/** Transactions of vanished clients may still commit; in a service the lease separates them. */
async function orphansEnd(url: string): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  const query = `select count(*)::int as busy from pg_stat_activity
    where datname = current_database() and pid <> pg_backend_pid() and xact_start is not null`;
  const deadline = performance.now() + 10_000;
  for (;;) {
    const { rows } = await client.query<{ busy: number }>(query);
    if (rows[0]?.busy === 0) break;
    if (performance.now() > deadline)
      throw new Error('the server does not end the transactions of a client that is gone');
    await sleep(5);
  }
  await client.end();
}

export class PgBench {
  readonly server: PostgresServer;
  readonly #template: string;

  private constructor(server: PostgresServer, template: string) {
    this.server = server;
    this.#template = template;
  }

  static async start(server?: PostgresServer): Promise<PgBench> {
    const started = server ?? (await startPostgres({ durable: false }));
    const template = await started.database();
    const store = storeOn(template);
    await store.open();
    await store.close();
    return new PgBench(started, new URL(template).pathname.slice(1));
  }

  stop(): Promise<void> {
    return this.server.stop();
  }

  database(): Promise<string> {
    return this.server.database({ template: this.#template });
  }

  async harness(options: Partial<PgOptions> = {}): Promise<PgHarness> {
    const url = await this.database();
    const proxy = await tcpProxy(this.server);
    const through = new URL(url);
    through.hostname = proxy.host;
    through.port = String(proxy.port);
    const stores: Store[] = [];
    const clients: pg.Client[] = [];
    const opened = async (at: string) => {
      const store = storeOn(at, options);
      await store.open();
      stores.push(store);
      return store;
    };
    let current = await opened(through.href);
    return {
      store: current,
      url,
      proxy,
      async reopen() {
        await current.close();
        current = await opened(url);
        return current;
      },
      second: () => opened(url),
      async crash() {
        await proxy.stop();
        await orphansEnd(url);
        current = await opened(url);
        return current;
      },
      async client() {
        const client = new pg.Client({ connectionString: url });
        client.on('error', () => undefined);
        await client.connect();
        clients.push(client);
        return client;
      },
      async dispose() {
        await Promise.allSettled([...stores.map((store) => store.close()), ...clients.map((client) => client.end())]);
        await proxy.stop();
      },
    };
  }
}
