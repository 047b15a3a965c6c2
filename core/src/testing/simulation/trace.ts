import { createHash, type Hash } from 'node:crypto';

/**
 * A run's events line by line. Identical runs have identical traces; runs are compared by a digest of the text; the
 * text itself is stored on request only.
 */
export class Trace {
  readonly #hash: Hash = createHash('sha256');
  readonly #lines: string[] | null;
  #pending = '';
  #count = 0;

  constructor(keep: boolean) {
    this.#lines = keep ? [] : null;
  }

  /** @param at virtual milliseconds since the start. */
  line(at: number, who: string, what: string): void {
    const text = `${at} ${who} ${what}`;
    this.#count += 1;
    this.#lines?.push(text);
    this.#pending += `${text}\n`;
    if (this.#pending.length < 16_384) return;
    this.#hash.update(this.#pending);
    this.#pending = '';
  }

  get count(): number {
    return this.#count;
  }

  get lines(): readonly string[] {
    return this.#lines ?? [];
  }

  digest(): string {
    return this.#hash.update(this.#pending).digest('hex');
  }
}
