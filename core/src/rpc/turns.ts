import type { Asker } from '../contract/chain-costs.js';

/** Who asks, and the networks that contain the party, the narrowest first. */
type Shares = Pick<Asker, 'party' | 'crowds'>;

interface Waiter {
  /** The widest crowd first, the party last. */
  readonly sets: readonly string[];
  come(): void;
  leave(): void;
}

const MAX_REMEMBERED = 3_000;

/**
 * Shares places between crowds, and those of a crowd between its parties: the waiting one with the fewest running is
 * next, then the one served least recently. A party or crowd has at most half. When the queue is full, the crowd with
 * the most waiting loses one, of its party with the most.
 */
export class Turns {
  readonly #mostAtOnce: number;
  readonly #mostWaiting: number;
  readonly #mostOfOne: number;
  #waiting: Waiter[] = [];
  readonly #running = new Map<string, number>();
  readonly #lastTurn = new Map<string, number>();
  #all = 0;
  #turns = 0;

  constructor(mostAtOnce: number, mostWaiting: number) {
    this.#mostAtOnce = mostAtOnce;
    this.#mostWaiting = mostWaiting;
    this.#mostOfOne = Math.ceil(mostAtOnce / 2);
  }

  /**
   * Undefined if not started: queue full, or aborted before. On abort it rejects with the signal's reason and frees
   * the place at once.
   */
  async take<T>(asker: Asker, task: () => Promise<T>): Promise<T | undefined> {
    const { signal } = asker;
    if (signal.aborted) return undefined;
    const sets = setsOf(asker);
    if (this.#isFree(sets)) this.#begin(sets);
    else if (!(await this.#turn(sets, signal))) return undefined;
    let end = (): void => undefined;
    const over = new Promise<never>((_, reject) => {
      end = () => reject(signal.reason);
      signal.addEventListener('abort', end, { once: true });
    });
    try {
      return await Promise.race([task(), over]);
    } finally {
      signal.removeEventListener('abort', end);
      this.#end(sets);
    }
  }

  #isFree(sets: readonly string[]): boolean {
    if (this.#all >= this.#mostAtOnce) return false;
    return /* guard: trial-turns */ sets.every((set) => this.#runningOf(set) < this.#mostOfOne);
  }

  #runningOf(set: string): number {
    return this.#running.get(set) ?? 0;
  }

  #begin(sets: readonly string[]): void {
    this.#all += 1;
    this.#turns += 1;
    for (const set of sets) {
      this.#running.set(set, this.#runningOf(set) + 1);
      this.#lastTurn.delete(set);
      this.#lastTurn.set(set, this.#turns);
      const [oldest] = this.#lastTurn.keys();
      if (this.#lastTurn.size > MAX_REMEMBERED && oldest !== undefined) this.#lastTurn.delete(oldest);
    }
  }

  #end(sets: readonly string[]): void {
    this.#all -= 1;
    for (const set of sets) {
      const running = this.#runningOf(set) - 1;
      if (running === 0) this.#running.delete(set);
      else this.#running.set(set, running);
    }
    this.#next()?.come();
  }

  #next(): Waiter | undefined {
    let next: Waiter | undefined;
    for (const waiter of this.#waiting)
      if (this.#isFree(waiter.sets) && (next === undefined || this.#isBefore(waiter.sets, next.sets))) next = waiter;
    return next;
  }

  #isBefore(one: readonly string[], other: readonly string[]): boolean {
    for (const of of [(set: string) => this.#runningOf(set), (set: string) => this.#lastTurn.get(set) ?? 0])
      for (let level = 0; level < Math.max(one.length, other.length); level += 1) {
        const difference = of(at(one, level)) - of(at(other, level));
        if (difference !== 0) return difference < 0;
      }
    return false;
  }

  #turn(sets: readonly string[], signal: AbortSignal): Promise<boolean> {
    if (this.#waiting.length >= this.#mostWaiting && !this.#makeRoom(sets)) return Promise.resolve(false);
    return new Promise((resolve) => {
      const away = (isMine: boolean) => (): void => {
        this.#waiting = this.#waiting.filter((one) => one !== waiter);
        signal.removeEventListener('abort', waiter.leave);
        if (isMine) this.#begin(sets);
        resolve(isMine);
      };
      const waiter: Waiter = { sets, come: away(true), leave: away(false) };
      this.#waiting.push(waiter);
      signal.addEventListener('abort', waiter.leave, { once: true });
    });
  }

  /** Drops the newest waiter of the largest set, from crowds to parties; false if none is larger than the asker's. */
  #makeRoom(sets: readonly string[]): boolean {
    let among: readonly Waiter[] = this.#waiting;
    let isAskers = true;
    const levels = Math.max(sets.length, ...among.map((one) => one.sets.length));
    for (let level = 0; level < levels; level += 1) {
      const own = at(sets, level);
      const counts = new Map<string, number>(isAskers ? [[own, 1]] : []);
      for (const one of among) counts.set(at(one.sets, level), (counts.get(at(one.sets, level)) ?? 0) + 1);
      let kept = own;
      for (const [set, count] of counts) if (count > (counts.get(kept) ?? 0)) kept = set;
      isAskers &&= kept === own;
      among = among.filter((one) => at(one.sets, level) === kept);
    }
    // guard: trial-queue
    if (isAskers) return false;
    among.at(-1)?.leave();
    return true;
  }
}

function setsOf({ party, crowds = [] }: Shares): readonly string[] {
  return [...[...crowds].reverse(), party];
}

/** An asker without a narrower set is alone in its narrowest one. */
function at(sets: readonly string[], level: number): string {
  return sets[Math.min(level, sets.length - 1)] as string;
}
