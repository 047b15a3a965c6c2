import { LRUCache } from 'lru-cache';
import type { TableName } from '../../contract/store-rows.js';

/**
 * What answers are read from: a table. Of the cursors, which are written all the time, change sets name the one of a chain;
 * what is read from one is read from the table as well, which other transactions name.
 */
export type Source = TableName | 'leases' | `cursors/${number}`;

/** Questions whose answers are kept: workers ask a few questions for each chain and lane, again and again. */
const MOST = 1_000;

/** Of so many kept answers one is asked for all the same: who waits for a change by asking leaves others their turn. */
const IN_A_ROW = 100;

interface Answer {
  /** Sum of the writes to its sources when it was asked for. */
  readonly writes: number;
  readonly value: Promise<unknown>;
}

/**
 * Answers of the database, kept until one of the tables that they were read from is written: a round that finds nothing to do,
 * as almost all do, then costs no statement.
 *
 * Invariant: a kept answer is given only while its tables were not written since the question, and are not being written. So it
 * equals what the database would have answered at that moment. This rests on the file's one writer, which announces each
 * transaction before it begins and after it has ended, well or not.
 */
export class KeptAnswers {
  readonly #answers = new LRUCache<string, Answer>({ max: MOST });
  #given = 0;
  readonly #writes = new Map<Source, number>();
  readonly #writing = new Map<Source, number>();

  /** A transaction that may write to these begins. @returns what to call once it has ended, however it did. */
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
   * @param question names what is asked, with all that it is asked about.
   * @param sources all that it is answered from.
   * @returns the answer; the same question is given the same object, which is frozen.
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
    // What fails says nothing, and is asked again.
    value.catch(() => {
      if (this.#answers.peek(question) === answer) this.#answers.delete(question);
    });
    return value;
  }

  #count(sources: readonly Source[]): number {
    return sources.reduce((sum, source) => sum + (this.#writes.get(source) ?? 0), 0);
  }
}

/** Freezes rows and lists of rows: a caller that changed one would change what other callers are answered. */
function frozen<T>(value: T): T {
  if (typeof value !== 'object' || value === null || Object.isFrozen(value)) return value;
  for (const each of Object.values(value)) frozen(each);
  return Object.freeze(value);
}
