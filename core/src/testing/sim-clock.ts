import type { Clock } from '../contract/clock.js';
import type { UnixMs } from '../contract/ids.js';
import type { SeededRandom } from './seeded-random.js';
import { SimHeap, type SimTask } from './sim-heap.js';

const START: UnixMs = 1_700_000_000_000;

/** Why a run of virtual time ended. */
export type RunEnd =
  /** The time was reached. */
  | 'time'
  /** Nothing is left that could ever happen. */
  | 'idle'
  /** `stop` said so. */
  | 'stopped'
  /** As many steps as allowed were taken. */
  | 'steps';

export interface RunLimits {
  /** Monotonic time at which to end; tasks due at it still run. Default: no end. */
  readonly until?: number;
  readonly maxSteps?: number;
  /** Asked after each step, when everything that followed from it has happened. What it throws ends the run. */
  readonly stop?: () => boolean;
}

/**
 * Virtual time. One task runs at a time; the next one only after every promise that the last one settled has been
 * followed to its end, so a run depends on the seed alone. Tasks of one instant run in an order drawn from the seed.
 *
 * As a `Clock` it is the world's: it never dies, and a jump of its wall clock moves `now` for those who ask it.
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

  /** True time, whatever any wall clock shows. */
  get trueNow(): UnixMs {
    return this.#epoch + this.#time;
  }

  /** Steps taken since the beginning. */
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

  /** Moves the wall clock; monotonic time and timers are as they were. */
  jump(ms: number): void {
    this.#world.jump(ms);
  }

  /** The clock of one service process: may die, be stopped for a while, or have a wall clock of its own. */
  process(): SimProcessClock {
    return new SimProcessClock(this);
  }

  /** Runs `run` after `ms`, rounded up to whole milliseconds as the times of rows are; returns how to cancel it. */
  schedule(ms: number, run: () => void): () => void {
    this.#serial += 1;
    const at = this.#time + Math.max(0, Math.ceil(ms));
    const task: SimTask = { at, draw: this.#random.next(), serial: this.#serial, run };
    this.#heap.push(task);
    return () => {
      task.run = undefined;
    };
  }

  /** Lets virtual time pass. One run at a time. */
  run(limits: RunLimits = {}): Promise<RunEnd> {
    if (this.#running) throw new Error('virtual time is running already');
    this.#running = true;
    const until = limits.until ?? Number.POSITIVE_INFINITY;
    let left = limits.maxSteps ?? Number.POSITIVE_INFINITY;
    return new Promise<RunEnd>((resolve, reject) => {
      // Between two of these turns the runtime has emptied its queue of promise reactions.
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

  /** Lets `ms` pass. */
  advance(ms: number): Promise<RunEnd> {
    return this.run({ until: this.#time + ms });
  }
}

/**
 * Time as one process sees it. A dead process's timers never fire; a stopped one's fire when it goes on, while
 * monotonic time passes. Only timers obey: whoever simulates a process holds back the replies of its ports as well.
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

  /** Nothing of this process happens any more. */
  kill(): void {
    this.#dead = true;
    this.#parked = undefined;
  }

  /** Stops the process until `resume`. */
  pause(): void {
    if (!this.#dead) this.#parked ??= [];
  }

  /** What came due meanwhile happens now, in an order drawn from the seed. */
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
