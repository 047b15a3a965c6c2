import type { Clock } from '../contract/clock.js';

/** Repeats work at an interval, one round at a time. */
export class Rounds {
  readonly #work: () => Promise<void>;
  readonly #cancel: () => void;
  #current: Promise<void> | undefined;

  /** @param work handles its errors itself. */
  constructor(clock: Pick<Clock, 'every'>, everyMs: number, work: () => Promise<void>) {
    this.#work = work;
    this.#cancel = clock.every(everyMs, () => void this.run());
  }

  /** The round in progress, else a new one. */
  run(): Promise<void> {
    this.#current ??= this.#work().finally(() => {
      this.#current = undefined;
    });
    return this.#current;
  }

  /** Resolves when the round in progress has ended; the timer begins no other. */
  async stop(): Promise<void> {
    this.#cancel();
    await this.#current;
  }
}
