import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { Workshop } from '../mutation/workshop.js';
import { edited } from './edit.js';
import { EXAMPLE, type Mutant } from './mutant.js';
import type { RunAnswer, RunRequest } from './run-result.js';

const PARTS = ['src', 'test', 'node', 'package.json'];
/** Longer than the whole kit takes on a busy machine. */
const KIT_MS = 300_000;

/**
 * Plays the kit on copies of the example chain in a copy of the repository, so that the original may change
 * meanwhile. Core is loaded once from its sources, which takes longer than most mutants live.
 */
export class Kit {
  readonly #workshop = new Workshop();
  #child: ChildProcess | undefined;
  #copies = 0;

  /** @param mutant absent: the example chain unchanged. */
  async play(mutant?: Mutant): Promise<RunAnswer> {
    this.#copies += 1;
    const { dir } = this.#workshop;
    const folder = join(dir, `test/fixtures/copy-${this.#copies}`);
    for (const part of PARTS) cpSync(join(dir, EXAMPLE, part), join(folder, part), { recursive: true });
    if (mutant !== undefined) {
      const file = join(folder, mutant.file.slice(EXAMPLE.length));
      const changed = edited(mutant, readFileSync(file, 'utf8'));
      if (!changed.ok) return { broken: changed.why };
      writeFileSync(file, changed.text);
    }
    const answer = await this.#ask({ folder, first: mutant && 'noticedBy' in mutant ? mutant.noticedBy : '' });
    // An unfinished case would disturb the next one.
    if (!('failed' in answer) || answer.failed?.reason.includes('not done after')) this.#end();
    rmSync(folder, { recursive: true, force: true });
    return answer;
  }

  async #ask(request: RunRequest): Promise<RunAnswer> {
    this.#child ??= this.#start();
    const child = this.#child;
    const stop = new AbortController();
    const { signal } = stop;
    child.send(request);
    try {
      return await Promise.race([
        once(child, 'message', { signal }).then(([answer]) => answer as RunAnswer),
        once(child, 'exit', { signal }).then(([code]) => ({ broken: `the kit ended with ${String(code)}` })),
        // A hanging kit also counts as caught.
        delay(
          KIT_MS,
          { ran: 0, failed: { name: `no end within ${KIT_MS / 1000} s`, reason: 'not done after it' } },
          { signal },
        ),
      ]);
    } finally {
      stop.abort();
    }
  }

  #start(): ChildProcess {
    const { dir: cwd } = this.#workshop;
    const program = join(cwd, 'test/mutants/kit-process.ts');
    const args = ['--conditions=@causeway/source', '--import', 'tsx', program];
    // Own process group, so that its nodes end with it.
    return spawn(process.execPath, args, { cwd, detached: true, stdio: ['ignore', 'inherit', 'inherit', 'ipc'] });
  }

  #end(): void {
    if (this.#child?.pid !== undefined && this.#child.exitCode === null) process.kill(-this.#child.pid, 'SIGKILL');
    this.#child = undefined;
  }

  /** Ends its processes too. */
  close(): void {
    this.#end();
    this.#workshop.remove();
  }
}
