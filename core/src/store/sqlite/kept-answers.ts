import { LRUCache } from 'lru-cache';
import type { TableName } from '../../contract/store-rows.js';

/** Table behind an answer. Cursors change often and are tracked per chain as well. */
export type Source = TableName | 'leases' | `cursors/${number}`;

const MAX_CACHED_ANSWERS = 1_000;

/** One in so many cached answers is read from the database, so that a polling loop yields to others. */
const IN_A_ROW = 100;

interface Answer {
  readonly writes: number;
  readonly value: Promise<unknown>;
}

/**
 * An idle round costs no statement.
 *
 * Invariant: a cached answer is used only if its tables were not written since the read and are not being written, so
 * it equals the database's answer. This relies on the single writer, which announces each transaction before its
 * begin and after its end, successful or not.
 */
export class KeptAnswers {
  readonly #answers = new LRUCache<string, Answer>({ max: MAX_CACHED_ANSWERS });
  #given = 0;
  readonly #writes = new Map<Source, number>();
  readonly #writing = new Map<Source, number>();

  /** A transaction that may write these tables begins. @returns a callback for its end, in success or failure. */
  writing(sources: Iterable<Source>): () => void {
    const written = [...new Set(sources)];
    for (const source of written) this.#writing.set(source, (this.#writing.get(source) ?? 0) + 1);
    return () => {
      for (const source of written.splice(0)) {
        this.#writing.set(source, (this.#writing.get(source) ?? 0) - 1);
        this.#writes.set(source, (this.#writes.get(source) ?? 0) + 1);
      }
    };
  }

  /**
   * @param question names the query with all its parameters.
   * @param sources every table it reads.
   * @returns a frozen, shared object.
   */
  async of<T>(question: string, sources: readonly Source[], ask: () => Promise<T>): Promise<T> {
    if (sources.some((source) => (this.#writing.get(source) ?? 0) > 0)) return ask();
    const writes = this.#count(sources);
    const kept = this.#answers.get(question);
    if (kept?.writes === writes) {
      this.#given += 1;
      return this.#given % IN_A_ROW === 0 ? ask() : (kept.value as Promise<T>);
    }
    const value = ask().then(frozen);
    const answer = { writes, value };
    this.#answers.set(question, answer);
    value.catch(() => {
      if (this.#answers.peek(question) === answer) this.#answers.delete(question);
    });
    return value;
  }

  #count(sources: readonly Source[]): number {
    return sources.reduce((sum, source) => sum + (this.#writes.get(source) ?? 0), 0);
  }
}

/** Frozen, because callers share the object. */
function frozen<T>(value: T): T {
  if (typeof value !== 'object' || value === null || Object.isFrozen(value)) return value;
  for (const each of Object.values(value)) frozen(each);
  return Object.freeze(value);
}
