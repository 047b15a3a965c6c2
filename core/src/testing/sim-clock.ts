import type { Clock } from '../contract/clock.js';
import type { UnixMs } from '../contract/ids.js';
import type { SeededRandom } from './seeded-random.js';
import { SimHeap, type SimTask } from './sim-heap.js';

const START: UnixMs = 1_700_000_000_000;

export type RunEnd =
  | 'time'
  /** Nothing is scheduled any more. */
  | 'idle'
  | 'stopped'
  | 'steps';

export interface RunLimits {
  /** Monotonic end time; tasks at that time still run. Default: no end. */
  readonly until?: number;
  readonly maxSteps?: number;
  /** Checked after each completed step. What it throws ends the run. */
  readonly stop?: () => boolean;
}

/**
 * Virtual time. One task runs at a time, and the next only after all resolved promise reactions, so a run depends on
 * the seed alone. Tasks of one instant run in seeded order.
 *
 * As a `Clock` it is the world's: it never dies, and a wall-clock jump moves `now`.
 */
export class SimClock implements Clock {
  readonly #random: SeededRandom;
  readonly #heap = new SimHeap();
  readonly #world: SimProcessClock;
  readonly #epoch: UnixMs;
  #time = 0;
  #serial = 0;
  #steps = 0;
  #running = false;

  constructor(random: SeededRandom, start: UnixMs = START) {
    this.#random = random.fork('clock');
    this.#epoch = start;
    this.#world = new SimProcessClock(this);
  }

  /** Unaffected by wall-clock jumps. */
  get trueNow(): UnixMs {
    return this.#epoch + this.#time;
  }

  get steps(): number {
    return this.#steps;
  }

  now(): UnixMs {
    return this.#world.now();
  }

  monotonic(): number {
    return this.#time;
  }

  sleep(ms: number, signal?: AbortSignal): Promise<void> {
    return this.#world.sleep(ms, signal);
  }

  every(ms: number, task: () => void): () => void {
    return this.#world.every(ms, task);
  }

  /** Moves the wall clock; monotonic time and timers are unaffected. */
  jump(ms: number): void {
    this.#world.jump(ms);
  }

  /** Clock of one service process, with its own wall clock, that can die or pause. */
  process(): SimProcessClock {
    return new SimProcessClock(this);
  }

  /** Runs `run` after `ms`, rounded up to whole milliseconds like row times. @returns the cancel function. */
  schedule(ms: number, run: () => void): () => void {
    this.#serial += 1;
    const at = this.#time + Math.max(0, Math.ceil(ms));
    const task: SimTask = { at, draw: this.#random.next(), serial: this.#serial, run };
    this.#heap.push(task);
    return () => {
      task.run = undefined;
    };
  }

  /** One run at a time. */
  run(limits: RunLimits = {}): Promise<RunEnd> {
    if (this.#running) throw new Error('virtual time is running already');
    this.#running = true;
    const until = limits.until ?? Number.POSITIVE_INFINITY;
    let left = limits.maxSteps ?? Number.POSITIVE_INFINITY;
    return new Promise<RunEnd>((resolve, reject) => {
      // Between two of these turns the runtime empties its promise queue.
      const turn = (): void => {
        try {
          if (limits.stop?.() === true) return resolve('stopped');
          const task = this.#heap.peek();
          if (task === undefined || task.at > until) {
            if (until !== Number.POSITIVE_INFINITY) this.#time = Math.max(this.#time, until);
            return resolve(task === undefined ? 'idle' : 'time');
          }
          if (left <= 0) return resolve('steps');
          left -= 1;
          this.#heap.pop();
          this.#time = task.at;
          this.#steps += 1;
          task.run?.();
        } catch (error) {
          return reject(error);
        }
        setImmediate(turn);
      };
      setImmediate(turn);
    }).finally(() => {
      this.#running = false;
    });
  }

  advance(ms: number): Promise<RunEnd> {
    return this.run({ until: this.#time + ms });
  }
}

/**
 * One process's time. A dead process's timers never fire; a paused one's fire on resume, while monotonic time passes.
 * Replies of its ports must be held back separately.
 */
export class SimProcessClock implements Clock {
  readonly #clock: SimClock;
  readonly #sleepers = new WeakMap<AbortSignal, Set<() => void>>();
  #parked: (() => void)[] | undefined;
  #dead = false;
  #skew = 0;

  constructor(clock: SimClock) {
    this.#clock = clock;
  }

  now(): UnixMs {
    return this.#clock.trueNow + this.#skew;
  }

  monotonic(): number {
    return this.#clock.monotonic();
  }

  sleep(ms: number, signal?: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      if (signal === undefined) {
        this.#clock.schedule(ms, () => this.#enter(resolve));
        return;
      }
      if (signal.aborted) return this.#enter(resolve);
      const sleepers = this.#sleepersOf(signal);
      const wake = (): void => {
        cancel();
        this.#enter(resolve);
      };
      const cancel = this.#clock.schedule(ms, () => {
        sleepers.delete(wake);
        this.#enter(resolve);
      });
      sleepers.add(wake);
    });
  }

  every(ms: number, task: () => void): () => void {
    let cancel = (): void => undefined;
    const again = (): void => {
      cancel = this.#clock.schedule(ms, () => {
        again();
        this.#enter(task);
      });
    };
    again();
    return () => cancel();
  }

  jump(ms: number): void {
    this.#skew += ms;
  }

  kill(): void {
    this.#dead = true;
    this.#parked = undefined;
  }

  pause(): void {
    if (!this.#dead) this.#parked ??= [];
  }

  /** Overdue timers fire now, in seeded order. */
  resume(): void {
    const parked = this.#parked ?? [];
    this.#parked = undefined;
    for (const run of parked) this.#clock.schedule(0, () => this.#enter(run));
  }

  get paused(): boolean {
    return this.#parked !== undefined;
  }

  get dead(): boolean {
    return this.#dead;
  }

  #enter(run: () => void): void {
    if (this.#dead) return;
    if (this.#parked !== undefined) this.#parked.push(run);
    else run();
  }

  /** One listener per signal: a long-lived one serves thousands of sleeps. */
  #sleepersOf(signal: AbortSignal): Set<() => void> {
    const known = this.#sleepers.get(signal);
    if (known !== undefined) return known;
    const sleepers = new Set<() => void>();
    this.#sleepers.set(signal, sleepers);
    signal.addEventListener(
      'abort',
      () => {
        for (const wake of sleepers) wake();
        sleepers.clear();
      },
      { once: true },
    );
    return sleepers;
  }
}
