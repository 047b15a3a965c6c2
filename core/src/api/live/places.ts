export const EVERYBODY = 'everybody';

export class Places {
  readonly #taken = new Map<string, number>();

  /** Returns an idempotent release, or undefined if `most` places of that name are taken. */
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
