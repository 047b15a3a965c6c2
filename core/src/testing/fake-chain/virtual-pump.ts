import type { SimClock } from '../sim-clock.js';

const STEP_MS = 5;

/** Advances virtual time for concurrent callers that wait in real time. */
export class VirtualPump {
  readonly clock: SimClock;
  #waiting = 0;
  #target = 0;
  #running: Promise<void> | undefined;

  constructor(clock: SimClock) {
    this.clock = clock;
  }

  async until<T>(promise: Promise<T>): Promise<T> {
    this.#waiting += 1;
    const settled = promise.finally(() => {
      this.#waiting -= 1;
    });
    void this.#go();
    return await settled;
  }

  async pass(ms: number): Promise<void> {
    this.#target = Math.max(this.#target, this.clock.monotonic() + ms);
    await this.#go();
  }

  #go(): Promise<void> {
    this.#running ??= this.#run().finally(() => {
      this.#running = undefined;
    });
    return this.#running;
  }

  async #run(): Promise<void> {
    await this.clock.advance(0);
    while (this.#waiting > 0 || this.clock.monotonic() < this.#target) {
      const left = this.#target - this.clock.monotonic();
      await this.clock.advance(left > 0 ? Math.min(left, STEP_MS) : STEP_MS);
    }
  }
}
