import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { EXIT } from '../cli/command.js';
import { sibling } from './sibling.js';

const QUICK_DEATH_MS = 5_000;
const MAX_QUICK_DEATHS = 5;
const FIRST_PAUSE_MS = 200;
const MAX_PAUSE_MS = 10_000;

export interface ServiceEvents {
  readonly spawned: (pid: number) => void;
  readonly ready: (pid: number, url: string) => void;
  readonly died: (how: string, pauseMs: number) => void;
  readonly gaveUp: (reason: string) => void;
  readonly output: (line: string) => void;
}

/**
 * Restarts a service after every unexpected death, with a growing pause, until five quick deaths in a row or an
 * invalid config.
 */
export class ServiceProcess {
  readonly #configPath: string;
  readonly #directory: string;
  readonly #events: ServiceEvents;
  #child: ChildProcess | null = null;
  #restart: NodeJS.Timeout | null = null;
  #quickDeaths = 0;
  #died = false;
  #stopping = false;

  constructor(configPath: string, directory: string, events: ServiceEvents) {
    this.#configPath = configPath;
    this.#directory = directory;
    this.#events = events;
  }

  start(): void {
    const args = [
      ...process.execArgv,
      sibling('../main', import.meta.url),
      'start',
      this.#configPath,
      '--base',
      this.#directory,
    ];
    // Own session: Ctrl-C reaches only the supervisor, which asks the service to drain.
    const child = spawn(process.execPath, args, {
      detached: true,
      stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
      // A crash point applies to one start: at every start it would block progress.
      env: { ...process.env, ...(this.#died ? { CAUSEWAY_CRASH_AT: '' } : {}) },
    });
    this.#child = child;
    let readyAt: number | null = null;
    if (child.pid !== undefined) this.#events.spawned(child.pid);
    child.on('message', (message: { type?: string; url?: string }) => {
      if (message.type !== 'ready' || this.#stopping) return;
      readyAt = performance.now();
      this.#events.ready(child.pid ?? 0, message.url ?? '');
    });
    for (const stream of [child.stdout, child.stderr]) eachLine(stream, this.#events.output);
    child.once('exit', (code, signal) => this.#ended(code, signal, readyAt));
  }

  /** Drains; killed after `withinMs`. */
  async stop(withinMs: number): Promise<void> {
    this.#stopping = true;
    if (this.#restart) clearTimeout(this.#restart);
    const child = this.#child;
    if (!child) return;
    const ended = once(child, 'exit');
    child.kill('SIGTERM');
    const force = setTimeout(() => child.kill('SIGKILL'), withinMs);
    await ended;
    clearTimeout(force);
  }

  kill(): void {
    this.#stopping = true;
    this.#child?.kill('SIGKILL');
  }

  #ended(code: number | null, signal: string | null, readyAt: number | null): void {
    this.#child = null;
    if (this.#stopping) return;
    this.#died = true;
    const how = signal === null ? `exit code ${code}` : signal;
    if (code === EXIT.config) return this.#events.gaveUp('its configuration is invalid');
    const quick = readyAt === null || performance.now() - readyAt < QUICK_DEATH_MS;
    this.#quickDeaths = quick ? this.#quickDeaths + 1 : 0;
    if (this.#quickDeaths >= MAX_QUICK_DEATHS) {
      return this.#events.gaveUp(
        `it died ${MAX_QUICK_DEATHS} times within ${QUICK_DEATH_MS / 1000} s of its start (last: ${how})`,
      );
    }
    const pause = Math.min(FIRST_PAUSE_MS * 2 ** Math.max(0, this.#quickDeaths - 1), MAX_PAUSE_MS);
    this.#events.died(how, pause);
    this.#restart = setTimeout(() => this.start(), pause);
  }
}

function eachLine(stream: NodeJS.ReadableStream | null, take: (line: string) => void): void {
  let rest = '';
  stream?.setEncoding('utf8');
  stream?.on('data', (chunk: string) => {
    const lines = (rest + chunk).split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) take(line);
  });
  stream?.on('end', () => {
    if (rest !== '') take(rest);
  });
}
