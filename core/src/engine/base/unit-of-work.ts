import type { Change, ChangeSet, Count, InsertableTable, MutableKeys, MutableTable } from '../../contract/store.js';
import type { PostingRow, Tables } from '../../contract/store-rows.js';

const KEY_FIELD = {
  requests: 'id',
  deposits: 'fundingKey',
  addresses: 'id',
  legs: 'id',
  keys: 'id',
  attempts: 'id',
  lanes: 'id',
  cursors: 'chainId',
  transactions: 'id',
  apiKeys: 'id',
  integrators: 'id',
  pauses: 'scope',
  holds: 'id',
  earmarks: 'id',
  sponsorships: 'id',
  sponsorPolicies: 'id',
  executions: 'id',
  endpoints: 'id',
  deliveries: 'id',
  meta: 'key',
} as const satisfies { [T in MutableTable]: keyof MutableKeys[T] };

interface Draft {
  readonly table: MutableTable;
  readonly inserted: boolean;
  readonly version: number;
  row: Record<string, unknown>;
  set: Record<string, unknown>;
  touched: boolean;
}

/**
 * Collects one change set: at most one insert or version-checked update per row. After a conflict, start again from
 * fresh rows.
 */
export class UnitOfWork {
  readonly #drafts = new Map<string, Draft>();
  readonly #inserts: Change[] = [];
  readonly #posts: PostingRow[][] = [];
  readonly #counts: Count[] = [];
  readonly #others: Change[] = [];

  /** A known row keeps its pending changes. */
  load<T extends MutableTable>(table: T, row: Tables[T]): Tables[T] {
    const id = draftId(table, row);
    const known = this.#drafts.get(id);
    if (known) return known.row as unknown as Tables[T];
    const data = row as unknown as Record<string, unknown>;
    this.#drafts.set(id, {
      table,
      inserted: false,
      version: data['version'] as number,
      row: data,
      set: {},
      touched: false,
    });
    return row;
  }

  /** With pending changes; undefined when not loaded. */
  get<T extends MutableTable>(table: T, key: string | number): Tables[T] | undefined {
    return this.#drafts.get(`${table}/${key}`)?.row as unknown as Tables[T] | undefined;
  }

  all<T extends MutableTable>(table: T): Tables[T][] {
    const rows: Tables[T][] = [];
    for (const draft of this.#drafts.values()) if (draft.table === table) rows.push(draft.row as unknown as Tables[T]);
    return rows;
  }

  insert<T extends InsertableTable>(table: T, row: Tables[T]): Tables[T] {
    if (table in KEY_FIELD) {
      const mutable = table as T & MutableTable;
      const id = draftId(mutable, row as never);
      if (this.#drafts.has(id)) throw new Error(`${id} is inserted twice in one unit of work`);
      this.#drafts.set(id, { table: mutable, inserted: true, version: 0, row: { ...row }, set: {}, touched: false });
    } else {
      this.#inserts.push({ op: 'insert', table, row } as Change);
    }
    return row;
  }

  /** Throws for a row that was never loaded. */
  update<T extends MutableTable>(table: T, key: string | number, set: Partial<Tables[T]>): Tables[T] {
    const draft = this.#drafts.get(`${table}/${key}`);
    if (!draft) throw new Error(`${table}/${key} was not loaded`);
    draft.row = { ...draft.row, ...set };
    draft.set = { ...draft.set, ...set };
    return draft.row as unknown as Tables[T];
  }

  /**
   * Race closed here: two units that each read what the other writes would both pass their version checks. Both touch
   * a shared row.
   */
  touch<T extends MutableTable>(table: T, key: string | number): void {
    const draft = this.#drafts.get(`${table}/${key}`);
    if (!draft) throw new Error(`${table}/${key} was not loaded`);
    draft.touched = true;
  }

  post(lines: readonly PostingRow[]): void {
    if (lines.length > 0) this.#posts.push([...lines]);
  }

  /** Changes that another module made, after all others. */
  add(changes: readonly Change[]): void {
    for (const change of changes) {
      if (change.op === 'count') this.count(change);
      else this.#others.push(change);
    }
  }

  count(change: Omit<Count, 'op'>): void {
    if (change.by !== 0n) this.#counts.push({ op: 'count', ...change });
  }

  counted(account: string): bigint {
    return this.#counts.reduce((sum, change) => (change.account === account ? sum + change.by : sum), 0n);
  }

  get empty(): boolean {
    return this.toChangeSet('').changes.length === 0;
  }

  toChangeSet(name: string): ChangeSet {
    const changes: Change[] = [];
    for (const draft of this.#drafts.values()) {
      if (draft.inserted) changes.push({ op: 'insert', table: draft.table, row: draft.row } as unknown as Change);
    }
    for (const draft of this.#drafts.values()) {
      if (draft.inserted || (!draft.touched && Object.keys(draft.set).length === 0)) continue;
      const field = KEY_FIELD[draft.table];
      changes.push({
        op: 'update',
        table: draft.table,
        key: { [field]: draft.row[field] },
        version: draft.version,
        set: draft.set,
      } as unknown as Change);
    }
    changes.push(...this.#inserts);
    for (const lines of this.#posts) changes.push({ op: 'post', lines });
    changes.push(...this.#counts, ...this.#others);
    return { name, changes };
  }
}

function draftId<T extends MutableTable>(table: T, row: Tables[T]): string {
  return `${table}/${String((row as unknown as Record<string, unknown>)[KEY_FIELD[table]])}`;
}
