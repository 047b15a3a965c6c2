import { LRUCache } from 'lru-cache';
import type { TableName } from '../../contract/store-rows.js';

/** Table behind an answer. Cursors change often and are tracked per chain as well. */
export type Source = TableName | 'leases' | `cursors/${number}`;

const MAX_CACHED_ANSWERS = 1_000;

/** One in so many cached answers is read from the database, so that a polling loop yields to others. */
const IN_A_ROW = 100;

interface Answer {
  readonly changes: number;
  readonly value: Promise<unknown>;
}

/**
 * An idle round costs no statement, and those who ask the same at the same time share one.
 *
 * Invariant: an answer is shared only until the next begin or end of a transaction that may write its tables, so a caller
 * that learnt of an end gets an answer read after it. This relies on the single writer, which announces each transaction
 * before its begin and after its end, successful or not.
 */
export class KeptAnswers {
  readonly #answers = new LRUCache<string, Answer>({ max: MAX_CACHED_ANSWERS });
  #given = 0;
  /** Begins and ends of transactions, by what they may write. */
  readonly #changes = new Map<Source, number>();

  /** A transaction that may write these tables begins. @returns a callback for its end, in success or failure. */
  writing(sources: Iterable<Source>): () => void {
    const written = [...new Set(sources)];
    this.#count(written);
    return () => this.#count(written.splice(0));
  }

  /**
   * @param question names the query with all its parameters.
   * @param sources every table it reads.
   * @returns a frozen, shared object.
   */
  async of<T>(question: string, sources: readonly Source[], ask: () => Promise<T>): Promise<T> {
    const changes = this.#changesOf(sources);
    const kept = this.#answers.get(question);
    if (kept?.changes === changes) {
      this.#given += 1;
      return this.#given % IN_A_ROW === 0 ? ask() : (kept.value as Promise<T>);
    }
    const value = ask().then(frozen);
    const answer = { changes, value };
    this.#answers.set(question, answer);
    value.catch(() => {
      if (this.#answers.peek(question) === answer) this.#answers.delete(question);
    });
    return value;
  }

  #count(sources: readonly Source[]): void {
    for (const source of sources) this.#changes.set(source, (this.#changes.get(source) ?? 0) + 1);
  }

  #changesOf(sources: readonly Source[]): number {
    return sources.reduce((sum, source) => sum + (this.#changes.get(source) ?? 0), 0);
  }
}

/** Frozen, because callers share the object. */
function frozen<T>(value: T): T {
  if (typeof value !== 'object' || value === null || Object.isFrozen(value)) return value;
  for (const each of Object.values(value)) frozen(each);
  return Object.freeze(value);
}
