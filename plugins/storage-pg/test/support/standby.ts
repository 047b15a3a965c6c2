import { execFileSync } from 'node:child_process';
import { appendFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { freePorts, tcpProxy } from '@causeway/core/testing';
import pg from 'pg';
import type { OwnPostgres } from './postgres.js';
import { ServerProcess, unprivileged } from './server-process.js';

export interface Standby {
  readonly host: string;
  readonly port: number;
  /** Resolves once it shows all that the primary has durable now. */
  caughtUp(): Promise<void>;
  /** Stops replication: later commits of the primary are missing here. */
  cutOff(): Promise<void>;
  promote(): Promise<void>;
  stop(): Promise<void>;
}

/** Clients of the primary lose their connections meanwhile. Asynchronous: a commit does not wait for it. */
export async function standbyOf(primary: OwnPostgres): Promise<Standby> {
  const { bin } = primary;
  const folder = dirname(primary.data);
  const data = join(folder, `standby-${Date.now().toString(36)}`);
  await primary.halt('fast');
  // With owners and modes, which the server checks.
  execFileSync('cp', ['-a', primary.data, data]);
  await primary.resume();
  const replication = await tcpProxy(primary);
  const user = unprivileged();
  const conninfo = `host=${replication.host} port=${replication.port} user=causeway`;
  appendFileSync(join(data, 'postgresql.auto.conf'), `primary_conninfo = '${conninfo}'\n`);
  writeFileSync(join(data, 'standby.signal'), '');
  const port = await freePorts();
  const server = new ServerProcess(bin, data, port, user, ['wal_retrieve_retry_interval=100ms']);
  await server.start();
  const ask = async <T extends pg.QueryResultRow>(at: number, text: string, values: unknown[] = []): Promise<T> => {
    const client = new pg.Client({ host: '127.0.0.1', port: at, user: 'causeway', database: 'postgres' });
    await client.connect();
    try {
      return (await client.query<T>(text, values)).rows[0] as T;
    } finally {
      await client.end();
    }
  };
  const cutOff = () => replication.stop();
  return {
    host: '127.0.0.1',
    port,
    async caughtUp() {
      const { lsn } = await ask<{ lsn: string }>(primary.port, 'select pg_current_wal_flush_lsn() as lsn');
      for (const until = performance.now() + 20_000; ; ) {
        const text = 'select pg_last_wal_replay_lsn() >= $1::pg_lsn as there';
        if ((await ask<{ there: boolean }>(port, text, [lsn])).there) return;
        if (performance.now() > until) throw new Error('the standby does not follow');
        await sleep(20);
      }
    },
    cutOff,
    async promote() {
      await cutOff();
      const { promoted } = await ask<{ promoted: boolean }>(port, 'select pg_promote(true, 20) as promoted');
      if (!promoted) throw new Error('the standby was not promoted');
    },
    async stop() {
      await cutOff();
      await server.end('SIGQUIT');
      rmSync(data, { recursive: true, force: true });
    },
  };
}
