export interface Violation {
  /** Short and stable, for grouping, e.g. `filled-twice`. */
  readonly rule: string;
  readonly message: string;
  /** Virtual milliseconds since the start. */
  readonly at: number;
}

export class Findings {
  readonly #seen = new Set<string>();
  readonly list: Violation[] = [];
  readonly #now: () => number;

  constructor(now: () => number) {
    this.#now = now;
  }

  say(rule: string, message: string): void {
    const id = `${rule} ${message}`;
    if (this.#seen.has(id)) return;
    this.#seen.add(id);
    this.list.push({ rule, message, at: this.#now() });
  }
}
