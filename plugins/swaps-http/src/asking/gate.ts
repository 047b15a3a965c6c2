import type { Clock } from '@causeway/core';

export interface Room {
  readonly atOnce: number;
  /** More than these are turned away. */
  readonly waiting: number;
  /** Questions a second on average, and at once after a pause. */
  readonly perSecond: number;
  readonly burst: number;
}

export type Turn<T> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly why: 'busy' | 'stopped' };

/**
 * Bounds what is asked at once and by time. Others wait in the order in which they came, until their signal aborts; whoever does
 * not fit is turned away at once.
 */
export class Gate {
  readonly #room: Room;
  readonly #clock: Pick<Clock, 'monotonic'>;
  readonly #waiting = new Set<() => void>();
  #running = 0;
  #left: number;
  #filledAt: number;

  constructor(room: Room, clock: Pick<Clock, 'monotonic'>) {
    this.#room = room;
    this.#clock = clock;
    this.#left = room.burst;
    this.#filledAt = clock.monotonic();
  }

  /** Rejects as the task does. */
  async take<T>(task: () => Promise<T>, signal: AbortSignal): Promise<Turn<T>> {
    if (signal.aborted) return { ok: false, why: 'stopped' };
    const isFull = this.#running >= this.#room.atOnce;
    if ((isFull && this.#waiting.size >= this.#room.waiting) || !this.#spend()) return { ok: false, why: 'busy' };
    if (!isFull) this.#running += 1;
    else if (!(await this.#turn(signal))) return { ok: false, why: 'stopped' };
    try {
      return { ok: true, value: await task() };
    } finally {
      // Whoever waits takes the place over, so that nobody comes in between.
      const [next] = this.#waiting;
      if (next === undefined) this.#running -= 1;
      else next();
    }
  }

  /** False where the signal aborted first. */
  #turn(signal: AbortSignal): Promise<boolean> {
    return new Promise((resolve) => {
      const leave = (isMine: boolean) => (): void => {
        this.#waiting.delete(come);
        signal.removeEventListener('abort', go);
        resolve(isMine);
      };
      const [come, go] = [leave(true), leave(false)];
      this.#waiting.add(come);
      signal.addEventListener('abort', go, { once: true });
    });
  }

  #spend(): boolean {
    const now = this.#clock.monotonic();
    this.#left = Math.min(this.#room.burst, this.#left + ((now - this.#filledAt) * this.#room.perSecond) / 1000);
    this.#filledAt = now;
    if (this.#left < 1) return false;
    this.#left -= 1;
    return true;
  }
}
