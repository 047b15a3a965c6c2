import { identityOf } from '../prepare.js';
import type { Cell } from '../rows.js';
import { decodeCell } from '../rows.js';
import type { TableSchema } from '../schema.js';

export interface Entry<R> {
  readonly row: R;
  readonly at: number;
}

type Compare<R> = (a: Entry<R>, b: Entry<R>) => number;

interface Bucket<R> {
  readonly entries: Map<string, Entry<R>>;
  sorted: readonly R[] | null;
}

const NONE: readonly never[] = Object.freeze([]);

export class MemoryIndex<R> {
  readonly #groupOf: (row: R) => string | number | undefined;
  readonly #compare: Compare<R>;
  readonly #buckets = new Map<string | number, Bucket<R>>();

  /** @param groupOf undefined for a row that the read never returns. */
  constructor(groupOf: (row: R) => string | number | undefined, compare: Compare<R>) {
    this.#groupOf = groupOf;
    this.#compare = compare;
  }

  replace(identity: string, before: Entry<R> | undefined, after: Entry<R> | undefined): void {
    const left = before && this.#groupOf(before.row);
    const joined = after && this.#groupOf(after.row);
    if (left !== undefined && left !== joined) {
      const bucket = this.#buckets.get(left);
      bucket?.entries.delete(identity);
      if (bucket?.entries.size === 0) this.#buckets.delete(left);
      else if (bucket) bucket.sorted = null;
    }
    if (joined === undefined || !after) return;
    let bucket = this.#buckets.get(joined);
    if (!bucket) {
      bucket = { entries: new Map(), sorted: null };
      this.#buckets.set(joined, bucket);
    }
    bucket.entries.set(identity, after);
    bucket.sorted = null;
  }

  list(group: string | number): readonly R[] {
    const bucket = this.#buckets.get(group);
    if (!bucket) return NONE;
    bucket.sorted ??= [...bucket.entries.values()].sort(this.#compare).map((entry) => entry.row);
    return bucket.sorted;
  }
}

/** Invariant: a row is replaced, never changed, so rows held by readers and snapshots stay valid. */
export class MemoryTable<R extends object> {
  readonly schema: TableSchema;
  readonly #entries: Map<string, Entry<R>>;
  readonly #uniques: readonly Map<string, string>[];
  readonly #indexes: readonly MemoryIndex<R>[];
  #arrivals = 0;

  constructor(schema: TableSchema, indexes: readonly MemoryIndex<R>[] = [], from?: MemoryTable<R>) {
    this.schema = schema;
    this.#indexes = indexes;
    this.#entries = new Map(from ? from.#entries : []);
    this.#uniques = schema.uniques.slice(1).map((_, at) => new Map(from ? from.#uniques[at] : []));
    this.#arrivals = from ? from.#arrivals : 0;
    if (indexes.length === 0) return;
    for (const [identity, entry] of this.#entries) this.#index(identity, undefined, entry);
  }

  get size(): number {
    return this.#entries.size;
  }

  get(identity: string): R | undefined {
    return this.#entries.get(identity)?.row;
  }

  *rows(): Generator<R> {
    for (const entry of this.#entries.values()) yield entry.row;
  }

  holder(unique: number, identity: string): string | undefined {
    if (unique === 0) return this.#entries.has(identity) ? identity : undefined;
    return this.#uniques[unique - 1]?.get(identity);
  }

  insert(cells: readonly Cell[]): void {
    const row: Record<string, unknown> = {};
    for (const column of this.schema.columns) row[column.field] = decodeCell(column, cells[column.at]);
    this.#arrivals += 1;
    this.put(row as R, this.#arrivals);
  }

  update(identity: string, patch: ReadonlyMap<number, Cell>, version: number): void {
    const before = this.#entries.get(identity);
    if (!before) throw new Error(`${this.schema.table} has no row ${identity}`);
    const row: Record<string, unknown> = { ...(before.row as Record<string, unknown>) };
    for (const [at, cell] of patch) {
      const column = this.schema.columns[at];
      if (column) row[column.field] = decodeCell(column, cell);
    }
    if (this.schema.version) row[this.schema.version.field] = version;
    this.put(row as R, before.at);
  }

  identities(row: object): (string | null)[] {
    const fields = row as Readonly<Record<string, unknown>>;
    return this.schema.uniques.map(({ columns, whenNull }) => {
      if (whenNull && fields[whenNull.field] !== null) return null;
      const held = columns.map((column) => fields[column.field]);
      return held.includes(null) ? null : identityOf(held);
    });
  }

  put(row: R, at: number): void {
    const identities = this.identities(row);
    const identity = identities[0] ?? '';
    const before = this.#entries.get(identity);
    const entry: Entry<R> = { row: Object.freeze(row), at };
    this.#entries.set(identity, entry);
    if (before) this.#forget(before.row);
    for (const [n, unique] of this.#uniques.entries()) {
      const held = identities[n + 1];
      if (typeof held === 'string') unique.set(held, identity);
    }
    this.#index(identity, before, entry);
  }

  delete(identity: string): void {
    const before = this.#entries.get(identity);
    if (!before) return;
    this.#entries.delete(identity);
    this.#forget(before.row);
    this.#index(identity, before, undefined);
  }

  #forget(row: R): void {
    if (this.#uniques.length === 0) return;
    const identities = this.identities(row);
    for (const [n, unique] of this.#uniques.entries()) {
      const held = identities[n + 1];
      if (typeof held === 'string') unique.delete(held);
    }
  }

  #index(identity: string, before: Entry<R> | undefined, after: Entry<R> | undefined): void {
    for (const index of this.#indexes) index.replace(identity, before, after);
  }
}
