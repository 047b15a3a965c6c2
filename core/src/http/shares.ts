interface Waiting {
  readonly begin: () => void;
}

export interface ShareLimits {
  readonly mostEach: number;
  readonly mostAll: number;
  /** Queue limit of one owner; more is refused. */
  readonly mostWaiting: number;
}

/** Concurrency slots shared by owners: one queue each, served round-robin. */
export class Shares {
  readonly #limits: ShareLimits;
  readonly #running = new Map<string, number>();
  /** In round-robin order: the owner served last is at the end. */
  readonly #lines = new Map<string, Waiting[]>();
  #all = 0;

  constructor(limits: ShareLimits) {
    this.#limits = limits;
  }

  /** Releases the slot, once; undefined if the queue is full or the wait was aborted. */
  async take(owner: string, signal: AbortSignal): Promise<(() => void) | undefined> {
    if (signal.aborted) return undefined;
    if (this.#isFree(owner)) return this.#begin(owner);
    const line = this.#lines.get(owner) ?? [];
    if (line.length >= this.#limits.mostWaiting) return undefined;
    return new Promise((resolve) => {
      const leave = (): void => {
        line.splice(line.indexOf(waiting), 1);
        if (line.length === 0) this.#lines.delete(owner);
        resolve(undefined);
      };
      const waiting: Waiting = {
        begin: () => {
          signal.removeEventListener('abort', leave);
          resolve(this.#begin(owner));
        },
      };
      line.push(waiting);
      this.#lines.set(owner, line);
      signal.addEventListener('abort', leave, { once: true });
    });
  }

  #isFree(owner: string): boolean {
    return this.#all < this.#limits.mostAll && (this.#running.get(owner) ?? 0) < this.#limits.mostEach;
  }

  #begin(owner: string): () => void {
    this.#all += 1;
    this.#running.set(owner, (this.#running.get(owner) ?? 0) + 1);
    let isOver = false;
    return () => {
      if (isOver) return;
      isOver = true;
      this.#all -= 1;
      const left = (this.#running.get(owner) ?? 1) - 1;
      if (left === 0) this.#running.delete(owner);
      else this.#running.set(owner, left);
      this.#next();
    };
  }

  #next(): void {
    for (const [owner, line] of this.#lines) {
      if (!this.#isFree(owner)) continue;
      const next = line.shift();
      this.#lines.delete(owner);
      if (line.length > 0) this.#lines.set(owner, line);
      next?.begin();
      return;
    }
  }
}
