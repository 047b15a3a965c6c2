import { LRUCache } from 'lru-cache';
import type { TableName } from '../../contract/store-rows.js';

/** Tables that change often, and whose rows are mostly read one by one. */
type TableOfRows = 'cursors' | 'meta' | 'pots';
/** A row by its key. */
export type Row = `${TableOfRows}/${string}`;
/** What is behind an answer: a table, or one of its rows. */
export type Source = TableName | 'leases' | Row;

const MAX_CACHED_ANSWERS = 1_000;

/** One in so many cached answers is read from the database, so that a polling loop yields to others. */
const IN_A_ROW = 100;

interface Answer {
  /** Of its tables when it was asked for; of a row, the changes to unnamed rows of its table. */
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
  /** Begins and ends of transactions, by table that they may write. */
  readonly #changes = new Map<string, number>();
  /** The same of transactions that do not say which rows they may write. */
  readonly #unnamed = new Map<string, number>();

  /**
   * A transaction that may write these begins.
   *
   * @returns a callback for its end, in success or failure. `rows` are as it wrote them, where that is known.
   */
  writing(sources: Iterable<Source>): (rows?: Iterable<readonly [Row, unknown]>) => void {
    const written = [...new Set(sources)];
    const kept = new Set<string>(written.filter((source) => this.#answers.has(source)));
    this.#count(written);
    return (rows = []) => {
      const isRead = (row: Row) => kept.has(row) || this.#answers.has(row);
      const fresh = [...rows].filter(([row]) => isRead(row));
      this.#count(written.splice(0));
      for (const [row, value] of fresh) void this.#keep(row, this.#changesOfRow(row), Promise.resolve(value));
    };
  }

  /**
   * @param question names the query with all its parameters.
   * @param sources every table it reads.
   * @returns a frozen, shared object.
   */
  async of<T>(question: string, sources: readonly TableName[], ask: () => Promise<T>): Promise<T> {
    return this.#answer(
      question,
      sources.reduce((sum, source) => sum + (this.#changes.get(source) ?? 0), 0),
      ask,
    );
  }

  /** The same for what is read from this row alone. */
  async ofRow<T>(row: Row, ask: () => Promise<T>): Promise<T> {
    return this.#answer(row, this.#changesOfRow(row), ask);
  }

  #answer<T>(question: string, changes: number, ask: () => Promise<T>): Promise<T> {
    const kept = this.#answers.get(question);
    if (kept?.changes === changes) {
      this.#given += 1;
      return this.#given % IN_A_ROW === 0 ? ask() : (kept.value as Promise<T>);
    }
    return this.#keep(question, changes, ask().then(frozen));
  }

  #keep<T>(question: string, changes: number, value: Promise<T>): Promise<T> {
    const answer = { changes, value };
    this.#answers.set(question, answer);
    value.catch(() => {
      if (this.#answers.peek(question) === answer) this.#answers.delete(question);
    });
    return value;
  }

  #count(sources: readonly Source[]): void {
    for (const source of sources) {
      const table = tableOf(source);
      this.#changes.set(table, (this.#changes.get(table) ?? 0) + 1);
      if (table === source) this.#unnamed.set(table, (this.#unnamed.get(table) ?? 0) + 1);
      else this.#answers.delete(source);
    }
  }

  #changesOfRow(row: Row): number {
    return this.#unnamed.get(tableOf(row)) ?? 0;
  }
}

function tableOf(source: Source): string {
  const end = source.indexOf('/');
  return end < 0 ? source : source.slice(0, end);
}

/** Frozen, because callers share the object. */
function frozen<T>(value: T): T {
  if (typeof value !== 'object' || value === null || Object.isFrozen(value)) return value;
  for (const each of Object.values(value)) frozen(each);
  return Object.freeze(value);
}
