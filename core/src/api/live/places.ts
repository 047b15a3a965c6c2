/** The place that everybody takes besides their own. */
export const EVERYBODY = 'everybody';

/** Counts who has how many of something. */
export class Places {
  readonly #taken = new Map<string, number>();

  /** Takes a place and returns how to give it back, which counts once; undefined where `most` are taken already. */
  take(name: string, most: number): (() => void) | undefined {
    const count = this.#taken.get(name) ?? 0;
    if (count >= most) return undefined;
    this.#taken.set(name, count + 1);
    let isTaken = true;
    return () => {
      if (!isTaken) return;
      isTaken = false;
      const left = (this.#taken.get(name) ?? 1) - 1;
      if (left === 0) this.#taken.delete(name);
      else this.#taken.set(name, left);
    };
  }
}
