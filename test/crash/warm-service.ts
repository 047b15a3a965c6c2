import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { ROOT } from '../support/repository.js';
import type { Exit } from '../support/service.js';

const WARM = `${ROOT}test/crash/warm.mjs`;
const BINARY = `${ROOT}core/bin/causeway.js`;

/**
 * The real binary, loaded and waiting. Loading is most of a start; doing it while another pair runs makes thousands
 * of kills affordable.
 */
export class WarmService {
  readonly exited: Promise<Exit>;
  readonly #child: ChildProcess;
  #said = '';

  constructor(config: string, cwd: string, plugins: readonly string[]) {
    this.#child = spawn(process.execPath, ['--import', WARM, BINARY, 'start', config], {
      cwd,
      stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
      env: {
        ...{ ...process.env, NODE_OPTIONS: '', CAUSEWAY_CRASH_AT: '', CAUSEWAY_CRASH_LOG: '' },
        CAUSEWAY_WARM_PLUGINS: JSON.stringify(plugins),
      },
    });
    const keep = (chunk: Buffer) => {
      this.#said += chunk.toString('utf8');
    };
    this.#child.stdout?.on('data', keep);
    this.#child.stderr?.on('data', keep);
    this.#child.on('error', () => {});
    this.exited = once(this.#child, 'close').then(([code, signal]) => ({ code, signal }) as Exit);
  }

  get output(): string {
    return this.#said;
  }

  start(env: Readonly<Record<string, string>>): void {
    this.#child.send({ env });
  }

  stop(): void {
    this.#child.kill('SIGTERM');
  }

  async kill(): Promise<void> {
    this.#child.kill('SIGKILL');
    await this.exited;
  }
}

export class WarmServices {
  readonly #make: () => WarmService;
  readonly #waiting: WarmService[] = [];

  constructor(config: string, cwd: string, ahead: number, plugins: readonly string[]) {
    this.#make = () => new WarmService(config, cwd, plugins);
    for (let i = 0; i < ahead; i += 1) this.#waiting.push(this.#make());
  }

  start(env: Readonly<Record<string, string>>): WarmService {
    const service = this.#waiting.shift() ?? this.#make();
    service.start(env);
    this.#waiting.push(this.#make());
    return service;
  }

  async close(): Promise<void> {
    await Promise.all(this.#waiting.splice(0).map((service) => service.kill()));
  }
}
