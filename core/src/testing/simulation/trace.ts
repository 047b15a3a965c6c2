import { createHash, type Hash } from 'node:crypto';

/**
 * What happened in a run, line by line. Two runs are the same when their traces are, byte for byte; the digest stands
 * for the whole text, which is kept only when asked for.
 */
export class Trace {
  readonly #hash: Hash = createHash('sha256');
  readonly #lines: string[] | null;
  #pending = '';
  #count = 0;

  constructor(keep: boolean) {
    this.#lines = keep ? [] : null;
  }

  /** @param at virtual milliseconds since the run began. */
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

  /** Ends the trace. */
  digest(): string {
    return this.#hash.update(this.#pending).digest('hex');
  }
}
