import type { Around } from '../../ports/step-through.js';
import type { SimProcessClock } from '../sim-clock.js';

/** Whether the call has taken effect. */
export type Side = 'before' | 'after';

export interface Surroundings {
  /** Sees every outgoing call and may end or pause the process there. */
  onCall(name: string, side: Side): void;
  /** Virtual milliseconds; 0: the same instant. */
  latency(name: string): number;
  /** World time. */
  sleep(ms: number): Promise<void>;
}

/** A new promise each time: a shared one would retain every waiter. */
function never(): Promise<never> {
  return new Promise<never>(() => {});
}

/**
 * One service process's life; all of its calls and timers pass here.
 *
 * Invariants: a killed process has no further effect and none of its calls returns; a paused one neither starts calls
 * nor learns answers until resumed, as under SIGSTOP, while calls in flight still take effect.
 */
export class Incarnation {
  readonly name: string;
  readonly clock: SimProcessClock;
  readonly ended = new AbortController();
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

  /** For `stepThrough`: wraps every call of every port. */
  readonly around: Around = async ({ name }, call) => {
    if (this.state !== 'running') await this.#wait();
    this.#around.onCall(name, 'before');
    if (this.state !== 'running') await this.#wait();
    const ms = this.#around.latency(name);
    if (ms > 0) {
      await this.#around.sleep(ms);
      if (this.clock.dead) return never();
    }
    // A dead process does not learn rejections either.
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
