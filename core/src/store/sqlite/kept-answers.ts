import { LRUCache } from 'lru-cache';
import type { TableName } from '../../contract/store-rows.js';

/** Tables that change often, and whose rows are mostly read one by one. */
const TABLES_OF_ROWS = ['cursors', 'meta', 'pots'] as const;
type TableOfRows = (typeof TABLES_OF_ROWS)[number];
/** A row by its key. */
export type Row = `${TableOfRows}/${string}`;
/** As a transaction wrote them. */
export type WrittenRows = Iterable<readonly [Row, unknown]>;
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
 * Invariants: an answer is shared only until the next begin of a transaction that may write its tables, so a caller that
 * learnt of an end gets an answer read after it. Between begin and end nothing is shared: what is written becomes visible
 * at some moment between them, and a caller that saw it elsewhere must not get an answer from before it. This relies on
 * the single writer, which announces each transaction before its begin and after its end, successful or not.
 */
export class KeptAnswers {
  readonly #answers = new LRUCache<string, Answer>({ max: MAX_CACHED_ANSWERS });
  readonly #confirmed = new LRUCache<string, Promise<unknown>>({ max: MAX_CACHED_ANSWERS });
  #given = 0;
  /** Transactions that began, by table that they may write. */
  readonly #changes = new Map<string, number>();
  /** The same of transactions that do not say which rows they may write. */
  readonly #unnamed = new Map<string, number>();
  /** Transactions under way, by what they may write: see `placesOf`. */
  readonly #open = new Map<string, number>();

  /**
   * A transaction that may write these begins.
   *
   * @returns a callback for its end, in success or failure. `rows` are as it wrote them, where that is known.
   */
  writing(sources: Iterable<Source>): (rows?: WrittenRows) => void {
    const written = [...new Set(sources)];
    const places = new Set(written.flatMap(placesOf));
    const kept = new Set<string>(written.filter((source) => this.#answers.has(source)));
    for (const place of places) this.#open.set(place, (this.#open.get(place) ?? 0) + 1);
    this.#count(written);
    return (rows = []) => {
      if (places.size === 0) return;
      for (const place of places) this.#end(place);
      places.clear();
      const known = new Map(rows);
      this.#confirm(written, known);
      for (const [row, value] of known)
        if (kept.has(row) && !this.#isOpen(row)) void this.#keep(row, this.#changesOfRow(row), Promise.resolve(value));
    };
  }

  /**
   * @param question names the query with all its parameters.
   * @param sources every table it reads.
   * @returns a frozen, shared object.
   */
  async of<T>(question: string, sources: readonly TableName[], ask: () => Promise<T>): Promise<T> {
    // guard: shared-between-commits
    if (sources.some((source) => this.#open.has(source))) return ask();
    const changes = sources.reduce((sum, source) => sum + (this.#changes.get(source) ?? 0), 0);
    return this.#answer(question, changes, ask);
  }

  /** The same for what is read from this row alone. */
  async ofRow<T>(row: Row, ask: () => Promise<T>): Promise<T> {
    // guard: shared-between-commits
    if (this.#isOpen(row)) return ask();
    return this.#answer(row, this.#changesOfRow(row), ask);
  }

  /**
   * As of the last end of a transaction that wrote this, or newer: between begin and end, what was true before the begin.
   * Invariant: an answer is dropped at the end of each such transaction, also one that is still on its way.
   */
  async confirmed<T>(source: Source, ask: () => Promise<T>): Promise<T> {
    const kept = this.#confirmed.get(source);
    if (kept !== undefined) return kept as Promise<T>;
    const value = ask().then(frozen);
    this.#confirmed.set(source, value);
    value.catch(() => {
      if (this.#confirmed.peek(source) === value) this.#confirmed.delete(source);
    });
    return value;
  }

  #confirm(written: readonly Source[], rows: ReadonlyMap<Row, unknown>): void {
    for (const source of written) {
      const isKept = this.#confirmed.has(source);
      // guard: confirmed-until-written
      this.#confirmed.delete(source);
      const row = source as Row;
      if (isKept && rows.has(row)) this.#confirmed.set(row, Promise.resolve(rows.get(row)));
      if (isTableOfRows(source))
        for (const kept of this.#confirmed.keys()) if (tableOf(kept) === source) this.#confirmed.delete(kept);
    }
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

  #isOpen(row: Row): boolean {
    return this.#open.has(row) || this.#open.has(anyRowOf(row));
  }

  #end(place: string): void {
    const left = (this.#open.get(place) ?? 0) - 1;
    if (left > 0) this.#open.set(place, left);
    else this.#open.delete(place);
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

/** What is read differently because of a write: the table, and the row or any row. */
function placesOf(source: Source): readonly string[] {
  const table = tableOf(source);
  return table === source ? [table, anyRowOf(source)] : [table, source];
}

function isTableOfRows(source: Source): source is TableOfRows {
  return (TABLES_OF_ROWS as readonly string[]).includes(source);
}

function anyRowOf(source: Source): string {
  return `${tableOf(source)}/`;
}

function tableOf(source: string): string {
  const end = source.indexOf('/');
  return end < 0 ? source : source.slice(0, end);
}

/** Frozen, because callers share the object. */
function frozen<T>(value: T): T {
  if (typeof value !== 'object' || value === null || Object.isFrozen(value)) return value;
  for (const each of Object.values(value)) frozen(each);
  return Object.freeze(value);
}
