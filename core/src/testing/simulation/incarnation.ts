import type { Around } from '../../ports/step-through.js';
import type { SimProcessClock } from '../sim-clock.js';

/** A side of a call: what is asked for has not happened `before`, and has happened `after`. */
export type Side = 'before' | 'after';

export interface Surroundings {
  /** Hears of every call that leaves the process, and may end or pause the process right there. */
  onCall(name: string, side: Side): void;
  /** How long a call takes on its way, virtual milliseconds; 0 is the same instant. */
  latency(name: string): number;
  /** The world's own time. */
  sleep(ms: number): Promise<void>;
}

/** Anew for each who waits: one promise for all would hold on to everything that ever waited for it. */
function never(): Promise<never> {
  return new Promise<never>(() => {});
}

/**
 * The life of one service process as the world outside sees it. All of a process's calls and timers pass here.
 *
 * Invariants: a dead process has no effect on anything from the moment it was killed, and none of its calls ever
 * returns; a paused one neither starts a call nor learns an answer until it is resumed, however long that takes, as
 * under SIGSTOP: what was on its way already still happens.
 */
export class Incarnation {
  readonly name: string;
  readonly clock: SimProcessClock;
  /** Ends what the process does in the background outside of its ports. */
  readonly ended = new AbortController();
  /** It was stopped once and went on. */
  resumed = false;
  readonly #around: Surroundings;
  #held: (() => void)[] = [];

  constructor(name: string, clock: SimProcessClock, around: Surroundings) {
    this.name = name;
    this.clock = clock;
    this.#around = around;
  }

  get state(): 'running' | 'paused' | 'dead' {
    return this.clock.dead ? 'dead' : this.clock.paused ? 'paused' : 'running';
  }

  kill(): void {
    this.clock.kill();
    this.#held = [];
    this.ended.abort();
  }

  pause(): void {
    this.clock.pause();
  }

  resume(): void {
    if (this.state !== 'paused') return;
    this.resumed = true;
    this.clock.resume();
    for (const go of this.#held.splice(0)) go();
  }

  /** For `stepThrough`: stands around every call of every port. */
  readonly around: Around = async ({ name }, call) => {
    if (this.state !== 'running') await this.#wait();
    this.#around.onCall(name, 'before');
    if (this.state !== 'running') await this.#wait();
    const ms = this.#around.latency(name);
    if (ms > 0) {
      await this.#around.sleep(ms);
      if (this.clock.dead) return never();
    }
    // A rejection is an answer too: a process that is gone does not learn of it either.
    const answer = await call().then(
      (value) => ({ ok: true as const, value }),
      (error: unknown) => ({ ok: false as const, error }),
    );
    if (this.clock.dead) return never();
    this.#around.onCall(name, 'after');
    if (this.state !== 'running') await this.#wait();
    if (answer.ok) return answer.value;
    throw answer.error;
  };

  async #wait(): Promise<void> {
    while (this.state !== 'running') {
      if (this.clock.dead) await never();
      await new Promise<void>((resolve) => this.#held.push(resolve));
    }
  }
}
