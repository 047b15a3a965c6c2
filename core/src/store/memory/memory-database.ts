import type { ApplyOutcome, ChangeSet, Lease } from '../../contract/store.js';
import type { EventRow, LeaseRow, PostingRow, TableName, Tables } from '../../contract/store-rows.js';
import { judge, type RowUpdate, type Writes } from '../judge.js';
import { Known, type Questions, questionsOf } from '../known.js';
import { identityOf, prepareSet } from '../prepare.js';
import { type Cell, decodeCell } from '../rows.js';
import { schemaOf, TABLES, type TableSchema } from '../schema.js';
import type { MemoryTable } from './memory-table.js';
import { type KeptTable, type MemoryIndexes, type MemoryTables, makeTables } from './memory-tables.js';

export type PositionedEvent = EventRow & { readonly position: number };

const POSTINGS = schemaOf('postings');

const REFERENCES: readonly (readonly [table: TableName, field: string, target: KeptTable])[] = [
  ['attempts', 'keyId', 'keys'],
  ['attemptLegs', 'attemptId', 'attempts'],
  ['attemptLegs', 'legId', 'legs'],
];

/**
 * An in-process database. Equal calls give equal rows.
 *
 * Invariant: change sets are judged by SQLite's code, and nothing is written before acceptance. Not durable.
 */
export class MemoryDatabase {
  readonly tables: MemoryTables;
  readonly indexes: MemoryIndexes;
  readonly events: PositionedEvent[];
  readonly postings: PostingRow[];
  readonly pots: Map<string, bigint>;
  readonly #groups: Set<string>;

  /**
   * @param from is copied; the copies are independent.
   * @param still only to be copied again, so unindexed.
   */
  constructor(from?: MemoryDatabase, still = false) {
    const made = makeTables(from?.tables, still);
    this.tables = made.tables;
    this.indexes = made.indexes;
    this.events = [...(from?.events ?? [])];
    this.postings = [...(from?.postings ?? [])];
    this.pots = new Map(from?.pots);
    this.#groups = new Set(from?.postings.map((line) => line.groupId));
  }

  /** @throws TypeError on a row that cannot be stored exactly or violates a foreign key. */
  apply(set: ChangeSet): ApplyOutcome {
    const prepared = [prepareSet(set)];
    const known = this.#answer(questionsOf(prepared));
    const { outcomes, writes } = judge(prepared, known);
    const [outcome] = outcomes;
    if (!outcome?.ok) return outcome ?? { ok: true };
    const taken = this.#takenByUpdate(writes);
    if (taken) return { ok: false, conflict: taken };
    this.#checkReferences(writes, known);
    this.#write(writes);
    return outcome;
  }

  claimLeases(scopes: readonly string[], owner: string, until: { now: number; ttlMs: number }): Lease[] {
    const held: Lease[] = [];
    for (const scope of [...new Set(scopes)].sort()) {
      const row = this.tables.leases.get(scope);
      const own = row?.owner === owner;
      if (row && row.owner !== null && !own && row.expiresAt > until.now) continue;
      const version = (row?.version ?? 0) + (own ? 0 : 1);
      this.#putLease({ scope, version, owner, expiresAt: until.now + until.ttlMs });
      held.push({ scope, token: version });
    }
    return held;
  }

  /** A released lease gets a token that no owner has. */
  releaseLeases(leases: readonly Lease[], owner: string): void {
    for (const { scope, token } of leases) {
      const row = this.tables.leases.get(scope);
      if (row?.owner === owner && row.version === token) this.#free(row);
    }
  }

  freeLeases(): void {
    for (const row of [...this.tables.leases.rows()]) if (row.owner !== null) this.#free(row);
  }

  #free(row: LeaseRow): void {
    this.#putLease({ scope: row.scope, version: row.version + 1, owner: null, expiresAt: 0 });
  }

  #putLease(row: LeaseRow): void {
    this.tables.leases.put(row, 0);
  }

  table(schema: TableSchema): MemoryTable<Tables[KeptTable]> {
    const table = this.tables[schema.table as KeptTable];
    if (!table) throw new Error(`${schema.table} is no table of rows by key`);
    return table as unknown as MemoryTable<Tables[KeptTable]>;
  }

  #answer(questions: Questions): Known {
    const known = new Known();
    for (const [schema, maps] of questions.rows) {
      const table = this.table(schema);
      const version = schema.version?.field;
      for (const [at, asked] of maps.entries()) {
        const found = known.rows(schema, at);
        for (const identity of asked.keys()) {
          const holder = table.holder(at, identity);
          if (holder === undefined) continue;
          const row = table.get(holder) as Readonly<Record<string, unknown>> | undefined;
          found.set(identity, version === undefined ? 0 : Number(row?.[version]));
        }
      }
    }
    for (const group of questions.groups) if (this.#groups.has(group)) known.groups.add(group);
    for (const account of questions.pots) {
      const amount = this.pots.get(account);
      if (amount !== undefined) known.pots.set(account, amount);
    }
    return known;
  }

  #takenByUpdate(writes: Writes): { kind: 'duplicate'; table: string; key: string } | undefined {
    for (const [schema, updates] of writes.updates) {
      const guarded = schema.uniques.slice(1).flatMap((unique) => [...unique.columns, unique.whenNull]);
      for (const [identity, update] of updates) {
        if (!guarded.some((column) => column && update.patch.has(column.at))) continue;
        const after = this.table(schema).identities(this.#patched(schema, identity, update));
        for (const [at, held] of after.entries()) {
          const holder = held === null ? undefined : this.table(schema).holder(at, held);
          if (holder !== undefined && holder !== identity) {
            return { kind: 'duplicate', table: schema.table, key: held ?? '' };
          }
        }
      }
    }
    return undefined;
  }

  #patched(schema: TableSchema, identity: string, update: RowUpdate): object {
    const row: Record<string, unknown> = { ...this.table(schema).get(identity) };
    for (const [at, cell] of update.patch) {
      const column = schema.columns[at];
      if (column) row[column.field] = decodeCell(column, cell);
    }
    return row;
  }

  #checkReferences(writes: Writes, known: Known): void {
    for (const [name, field, target] of REFERENCES) {
      const schema = schemaOf(name);
      const at = schema.byField.get(field)?.at ?? 0;
      for (const cells of writes.inserts.get(schema) ?? []) {
        const identity = identityOf([cells[at] ?? null]);
        const exists = this.tables[target].holder(0, identity) !== undefined;
        if (exists || known.rows(schemaOf(target), 0).has(identity)) continue;
        throw new TypeError(`${name}.${field} names ${identity}, which does not exist`);
      }
    }
  }

  #write(writes: Writes): void {
    for (const schema of TABLES) {
      const rows = writes.inserts.get(schema);
      if (!rows) continue;
      const table = this.table(schema);
      for (const cells of rows) {
        table.insert(cells);
        if (schema.table === 'events') this.#publish(table.get(String(cells[schema.key.columns[0]?.at ?? 0])));
      }
    }
    for (const [schema, updates] of writes.updates) {
      for (const [identity, update] of updates) this.table(schema).update(identity, update.patch, update.to);
    }
    for (const cells of writes.postings) this.#post(cells);
    for (const [account, amount] of writes.pots) this.pots.set(account, amount);
  }

  #publish(row: Tables[KeptTable] | undefined): void {
    this.events.push(Object.freeze({ ...(row as EventRow), position: this.events.length + 1 }));
  }

  #post(cells: readonly Cell[]): void {
    const line: Record<string, unknown> = {};
    for (const column of POSTINGS.columns) line[column.field] = decodeCell(column, cells[column.at]);
    const row = Object.freeze(line) as unknown as PostingRow;
    this.postings.push(row);
    this.#groups.add(row.groupId);
  }
}
