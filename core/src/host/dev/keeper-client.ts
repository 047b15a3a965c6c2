import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import type { DevnetProcess } from '../../contract/devnet.js';
import type { FromKeeper, ToKeeper } from './keeper-protocol.js';
import { sibling } from './sibling.js';

export class ChainProcessError extends Error {
  override readonly name = 'ChainProcessError';
}

export class Keeper {
  readonly #child: ChildProcess;
  readonly #pids = new Map<string, number>();
  readonly #waiting = new Map<string, { resolve: () => void; reject: (error: Error) => void }>();
  readonly #onLoss: (reason: string) => void;
  #closing = false;

  /**
   * @param devnetFile removed at the end, however the supervisor ends.
   * @param onLoss called when a chain, or the keeper with all of them, ends unexpectedly.
   */
  constructor(devnetFile: string, onLoss: (reason: string) => void) {
    this.#onLoss = onLoss;
    // Own session: Ctrl-C must not reach the chains before the service has drained.
    this.#child = fork(sibling('./keeper', import.meta.url), [devnetFile], {
      detached: true,
      stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    });
    this.#child.on('message', (message: FromKeeper) => this.#heard(message));
    this.#child.once('exit', () => this.#lost());
  }

  start(spec: DevnetProcess, logFile: string): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#waiting.set(spec.name, { resolve, reject });
      this.#report({ type: 'spawn', spec, logFile });
    });
  }

  serviceIs(pid: number | null): void {
    if (!this.#closing) this.#report({ type: 'service', pid });
  }

  async close(): Promise<void> {
    if (this.#closing || this.#child.exitCode !== null || this.#child.signalCode !== null) return;
    this.#closing = true;
    const ended = once(this.#child, 'exit');
    this.#child.disconnect();
    await ended;
  }

  kill(): void {
    this.#closing = true;
    this.#child.kill('SIGKILL');
    for (const pid of this.#pids.values()) end(pid);
  }

  #report(message: ToKeeper): void {
    this.#child.send(message, () => {});
  }

  #heard(message: FromKeeper): void {
    const waiting = this.#waiting.get(message.name);
    if (message.type === 'spawned') {
      this.#pids.set(message.name, message.pid);
      waiting?.resolve();
    } else {
      this.#pids.delete(message.name);
      const how =
        message.type === 'failed' ? message.message : `it ended with ${message.signal ?? `code ${message.code}`}`;
      waiting?.reject(new ChainProcessError(`${message.name} could not be started: ${how}`));
      if (message.type === 'exited' && !this.#closing)
        this.#onLoss(`local chain ${message.name} ended (${message.signal ?? `code ${message.code}`})`);
    }
  }

  #lost(): void {
    if (this.#closing) return;
    for (const pid of this.#pids.values()) end(pid);
    this.#onLoss('the process that keeps the local chains ended');
  }
}

function end(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // The process had already ended.
  }
}
