interface Waiter {
  readonly party: string;
  come(): void;
  leave(): void;
}

const MAX_REMEMBERED_PARTIES = 1_000;

/**
 * Shares places between parties: the waiting party with the fewest running is next, then the one served least
 * recently. A party has at most half. When the queue is full, the party with the most waiting loses one.
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
  async take<T>(
    { party, signal }: { readonly party: string; readonly signal: AbortSignal },
    task: () => Promise<T>,
  ): Promise<T | undefined> {
    if (signal.aborted) return undefined;
    if (this.#isFree(party)) this.#begin(party);
    else if (!(await this.#turn(party, signal))) return undefined;
    let end = (): void => undefined;
    const over = new Promise<never>((_, reject) => {
      end = () => reject(signal.reason);
      signal.addEventListener('abort', end, { once: true });
    });
    try {
      return await Promise.race([task(), over]);
    } finally {
      signal.removeEventListener('abort', end);
      this.#end(party);
    }
  }

  #isFree(party: string): boolean {
    return this.#all < this.#mostAtOnce && /* guard: trial-turns */ this.#runningOf(party) < this.#mostOfOne;
  }

  #runningOf(party: string): number {
    return this.#running.get(party) ?? 0;
  }

  #begin(party: string): void {
    this.#all += 1;
    this.#running.set(party, this.#runningOf(party) + 1);
    this.#lastTurn.delete(party);
    this.#lastTurn.set(party, ++this.#turns);
    const [oldest] = this.#lastTurn.keys();
    if (this.#lastTurn.size > MAX_REMEMBERED_PARTIES && oldest !== undefined) this.#lastTurn.delete(oldest);
  }

  #end(party: string): void {
    this.#all -= 1;
    const running = this.#runningOf(party) - 1;
    if (running === 0) this.#running.delete(party);
    else this.#running.set(party, running);
    this.#next()?.come();
  }

  #next(): Waiter | undefined {
    let next: Waiter | undefined;
    for (const waiter of this.#waiting)
      if (this.#isFree(waiter.party) && (next === undefined || this.#isBefore(waiter.party, next.party))) next = waiter;
    return next;
  }

  #isBefore(one: string, other: string): boolean {
    const running = this.#runningOf(one) - this.#runningOf(other);
    return running < 0 || (running === 0 && (this.#lastTurn.get(one) ?? 0) < (this.#lastTurn.get(other) ?? 0));
  }

  #turn(party: string, signal: AbortSignal): Promise<boolean> {
    if (this.#waiting.length >= this.#mostWaiting && !this.#makeRoom(party)) return Promise.resolve(false);
    return new Promise((resolve) => {
      const away = (isMine: boolean) => (): void => {
        this.#waiting = this.#waiting.filter((one) => one !== waiter);
        signal.removeEventListener('abort', waiter.leave);
        if (isMine) this.#begin(party);
        resolve(isMine);
      };
      const waiter: Waiter = { party, come: away(true), leave: away(false) };
      this.#waiting.push(waiter);
      signal.addEventListener('abort', waiter.leave, { once: true });
    });
  }

  /** Drops the newest waiter of the party with the most waiting; false if that is the asker's. */
  #makeRoom(party: string): boolean {
    const counts = new Map([[party, 1]]);
    for (const one of this.#waiting) counts.set(one.party, (counts.get(one.party) ?? 0) + 1);
    const [most] = [...counts].sort(([, a], [, b]) => b - a)[0] as [string, number];
    const last = this.#waiting.findLast((one) => one.party === most);
    if (most === party || (counts.get(most) ?? 0) <= (counts.get(party) ?? 0)) return false;
    last?.leave();
    return true;
  }
}
