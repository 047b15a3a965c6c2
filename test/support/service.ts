import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { endWithUs } from '../../plugins/evm/src/devnet/keeper.js';
import { ROOT } from './repository.js';
import { until } from './until.js';

export interface Exit {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

const SOURCE = ['--import', 'tsx', '--conditions=@causeway/source'];

/** The CLI as installed, from dist; `CAUSEWAY_E2E_SOURCE=1` runs the sources. */
export function causeway(...args: readonly string[]): { readonly command: string; readonly args: string[] } {
  const fromSource = process.env.CAUSEWAY_E2E_SOURCE === '1';
  return {
    command: process.execPath,
    args: fromSource ? [...SOURCE, `${ROOT}core/src/host/main.ts`, ...args] : [`${ROOT}core/bin/causeway.js`, ...args],
  };
}

export class Running {
  readonly exited: Promise<Exit>;
  private readonly child: ChildProcess;
  private said = '';

  /** @param folder removed where this process ends first, which ends the child too. */
  constructor(
    args: readonly string[],
    env: Readonly<Record<string, string>> = {},
    cwd: string = ROOT,
    folder?: string,
  ) {
    const { command, args: all } = causeway(...args);
    this.child = spawn(command, all, {
      cwd,
      stdio: ['ignore', 'pipe', 'pipe'],
      // In its own process group, as from a shell.
      detached: true,
      env: { ...process.env, NODE_OPTIONS: '', CAUSEWAY_CRASH_AT: '', CAUSEWAY_CRASH_LOG: '', ...env },
    });
    endWithUs(this.child, folder);
    const keep = (chunk: Buffer) => {
      this.said += chunk.toString('utf8');
    };
    this.child.stdout?.on('data', keep);
    this.child.stderr?.on('data', keep);
    this.exited = once(this.child, 'close').then(([code, signal]) => ({ code, signal }) as Exit);
    running.add(this);
    void this.exited.then(() => running.delete(this));
  }

  get pid(): number {
    if (this.child.pid === undefined) throw new Error('the process did not start');
    return this.child.pid;
  }

  get output(): string {
    return this.said;
  }

  get alive(): boolean {
    return this.child.exitCode === null && this.child.signalCode === null;
  }

  /** To the whole process group, as Ctrl-C does. */
  signalGroup(name: NodeJS.Signals): void {
    process.kill(-this.pid, name);
  }

  async kill(): Promise<void> {
    this.child.kill('SIGKILL');
    await this.exited;
  }

  /**
   * SIGTERM.
   *
   * @throws when it does not exit within half a minute.
   */
  async stop(): Promise<Exit> {
    if (!this.alive) return this.exited;
    this.child.kill('SIGTERM');
    return this.end('after SIGTERM');
  }

  /** Leaves it to later files of this process: `endAll` spares it. */
  share(): void {
    running.delete(this);
  }

  async end(when: string, ms = 30_000): Promise<Exit> {
    let exit: Exit | undefined;
    void this.exited.then((value) => {
      exit = value;
    });
    try {
      return await until(`the process ends ${when}`, () => exit, { ms });
    } catch (error) {
      throw new Error(`${(error as Error).message}; it said:\n${tail(this.said)}`);
    }
  }
}

const running = new Set<Running>();

export async function endAll(): Promise<void> {
  await Promise.all([...running].map((process) => process.kill()));
}

export function tail(text: string, lines = 60): string {
  const reported = text.split('\n').filter((line) => !line.includes('"msg":"request"'));
  return reported.slice(-lines).join('\n');
}

/** Resolves at the service's first response; rejects with its output when it exits. */
export async function ready(process: Running, baseUrl: string, ms = 20_000): Promise<void> {
  await until(
    `the service at ${baseUrl} answers; so far it said:\n${tail(process.output)}`,
    async () => {
      if (!process.alive) return true;
      const response = await fetch(`${baseUrl}/lives`).catch(() => undefined);
      return response?.ok === true;
    },
    { ms, every: 25, seen: () => tail(process.output, 20) },
  );
  if (!process.alive) throw new Error(`the service ended at start:\n${tail(process.output)}`);
}
