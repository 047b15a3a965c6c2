import { rmSync } from 'node:fs';
import { chown, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePorts } from '@causeway/core/testing';
import pg from 'pg';
import { binaries, run, ServerProcess, unprivileged } from './server-process.js';

export interface PostgresServer {
  readonly host: string;
  readonly port: number;
  database(options?: { readonly template?: string }): Promise<string>;
  /** Ends the server in an orderly way (`fast`) or as a crash would. Data stays. */
  halt(how: 'fast' | 'crash'): Promise<void>;
  resume(): Promise<void>;
  stop(): Promise<void>;
}

export interface OwnOptions {
  /** False: no fsync. Writes outlive the process, not the machine. */
  readonly durable?: boolean;
}

/** `TEST_DATABASE_URL`, else a new server. @throws when neither is available, so that a test is never skipped. */
export async function startPostgres(options: OwnOptions = {}): Promise<PostgresServer> {
  const given = process.env['TEST_DATABASE_URL'];
  return given === undefined || given === '' ? startOwnPostgres(options) : foreignServer(new URL(given));
}

let made = 0;

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

export interface OwnPostgres extends PostgresServer {
  readonly data: string;
  readonly bin: string;
}

export async function startOwnPostgres({ durable = true }: OwnOptions = {}): Promise<OwnPostgres> {
  const folder = await mkdtemp(join(tmpdir(), 'causeway-pg-'));
  const user = unprivileged();
  if (user) await chown(folder, user.uid, user.gid);
  const bin = await binaries(folder, user !== undefined);
  const data = join(folder, 'data');
  // Not the C locale, so that tests notice a text order that depends on the database.
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
      // Skips the flush of data that is deleted anyway, which takes a minute.
      await server.end('SIGQUIT');
      process.off('exit', atExit);
      await rm(folder, { recursive: true, force: true });
    },
  };
}
