import type { Clock } from '@causeway/core';

export interface Room {
  readonly atOnce: number;
  /** Longest queue; more are refused. */
  readonly waiting: number;
  /** Average requests per second, and the burst after a pause. */
  readonly perSecond: number;
  readonly burst: number;
}

export type Turn<T> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly why: 'busy' | 'stopped' };

/** A quarter, rounded down, is reserved for paid orders. */
const kept = (most: number): number => most >> 2;

/**
 * Excess requests queue until their signal aborts, or are refused when the queue is full.
 *
 * Quotes never hold up paid orders: these have reserved places and burst, wait ahead of quotes, and while one waits
 * for the rate limit, quotes are refused.
 */
export class Gate {
  readonly #room: Room;
  readonly #clock: Pick<Clock, 'monotonic' | 'sleep'>;
  readonly #waiting = { paid: new Set<() => void>(), quote: new Set<() => void>() };
  /** Paid orders waiting for the rate limit. */
  #due = 0;
  #running = 0;
  #left: number;
  #filledAt: number;

  constructor(room: Room, clock: Pick<Clock, 'monotonic' | 'sleep'>) {
    this.#room = room;
    this.#clock = clock;
    this.#left = room.burst;
    this.#filledAt = clock.monotonic();
  }

  /** Rejects as the task does. */
  async take<T>(task: () => Promise<T>, isPaid: boolean, signal: AbortSignal): Promise<Turn<T>> {
    if (signal.aborted) return { ok: false, why: 'stopped' };
    const isBusy = isPaid ? await this.#isBusyForPaid(signal) : !this.#mayQuote();
    if (signal.aborted) return { ok: false, why: 'stopped' };
    if (isBusy) return { ok: false, why: 'busy' };
    if (this.#isFree(isPaid)) this.#running += 1;
    else if (!(await this.#turn(isPaid, signal))) return { ok: false, why: 'stopped' };
    try {
      return { ok: true, value: await task() };
    } finally {
      // Handed directly to a waiting request, so that none comes in between.
      this.#running -= 1;
      this.#admit();
    }
  }

  #mayQuote(): boolean {
    const isFull = !this.#isFree(false) && this.#waiting.quote.size >= this.#room.waiting;
    return !isFull && this.#due === 0 && this.#spend(1 + kept(this.#room.burst));
  }

  async #isBusyForPaid(signal: AbortSignal): Promise<boolean> {
    if (this.#due + this.#waiting.paid.size > this.#room.waiting) return true;
    this.#due += 1;
    try {
      while (!signal.aborted && !this.#spend(1))
        await this.#clock.sleep(Math.ceil(((1 - this.#left) * 1_000) / this.#room.perSecond), signal);
      return false;
    } finally {
      this.#due -= 1;
    }
  }

  #isFree(isPaid: boolean): boolean {
    const { atOnce } = this.#room;
    return this.#running < (isPaid ? atOnce : atOnce - kept(atOnce));
  }

  #admit(): void {
    const { paid, quote } = this.#waiting;
    const isPaid = paid.size > 0;
    const [next] = isPaid ? paid : quote;
    if (next === undefined || !this.#isFree(isPaid)) return;
    this.#running += 1;
    next();
  }

  /** False where the signal aborted first. */
  #turn(isPaid: boolean, signal: AbortSignal): Promise<boolean> {
    const waiting = this.#waiting[isPaid ? 'paid' : 'quote'];
    return new Promise((resolve) => {
      const leave = (isMine: boolean) => (): void => {
        waiting.delete(come);
        signal.removeEventListener('abort', go);
        resolve(isMine);
      };
      const [come, go] = [leave(true), leave(false)];
      waiting.add(come);
      signal.addEventListener('abort', go, { once: true });
    });
  }

  /** @param least tokens that must be left. */
  #spend(least: number): boolean {
    const now = this.#clock.monotonic();
    this.#left = Math.min(this.#room.burst, this.#left + ((now - this.#filledAt) * this.#room.perSecond) / 1000);
    this.#filledAt = now;
    if (this.#left < least) return false;
    this.#left -= 1;
    return true;
  }
}
