/**
 * Lets a few tasks run at once, so that what strangers ask for leaves room for the rest. Others wait in the order in which they
 * came; where too many wait, the next one is turned away.
 */
export class Turns {
  readonly #mostAtOnce: number;
  readonly #mostWaiting: number;
  readonly #waiting: (() => void)[] = [];
  #running = 0;

  constructor(mostAtOnce: number, mostWaiting: number) {
    this.#mostAtOnce = mostAtOnce;
    this.#mostWaiting = mostWaiting;
  }

  /** Undefined where too many wait: the task was not begun. Rejects as the task does. */
  async take<T>(task: () => Promise<T>): Promise<T | undefined> {
    if (this.#running >= this.#mostAtOnce) {
      if (this.#waiting.length >= this.#mostWaiting) return undefined;
      await new Promise<void>((resolve) => this.#waiting.push(resolve));
    } else this.#running += 1;
    try {
      return await task();
    } finally {
      // Whoever waits takes the place over, so that nobody comes in between.
      const next = this.#waiting.shift();
      if (next === undefined) this.#running -= 1;
      else next();
    }
  }
}
