export class History {
  readonly #points: { readonly at: number; readonly value: number }[];

  constructor(until?: History) {
    this.#points = until === undefined ? [] : [...until.#points];
  }

  /** @param at never before the last one. */
  note(at: number, value: number): void {
    if (this.#points.at(-1)?.value !== value) this.#points.push({ at, value });
  }

  /** Range of values in effect during a period. */
  between(from: number, to: number): { readonly least: number; readonly most: number } {
    const inEffect = this.#points.filter(({ at }, n) => at <= to && (this.#points[n + 1]?.at ?? to) >= from);
    const values = inEffect.map(({ value }) => value);
    return values.length === 0 ? { least: 0, most: 0 } : { least: Math.min(...values), most: Math.max(...values) };
  }
}
