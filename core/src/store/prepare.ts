import type { Change, ChangeSet, Count, Fence, Insert, Post, Require, Update } from '../contract/store.js';
import { type Cell, encodeCell, encodeRow } from './rows.js';
import { schemaOf, type TableSchema, type UniqueKey } from './schema.js';

export interface InsertStep {
  readonly op: 'insert';
  readonly schema: TableSchema;
  readonly cells: Cell[];
  readonly claims: readonly (Claim | null)[];
  readonly ifAbsent: boolean;
}

export interface Claim {
  readonly identity: string;
  readonly cells: readonly Cell[];
}

export interface UpdateStep {
  readonly op: 'update';
  readonly schema: TableSchema;
  readonly key: Claim;
  readonly version: number;
  readonly patch: ReadonlyMap<number, Cell>;
}

export interface RequireStep {
  readonly op: 'require';
  readonly schema: TableSchema;
  readonly key: Claim;
  readonly version: number;
}

export interface PostStep {
  readonly op: 'post';
  readonly groups: readonly string[];
  readonly lines: readonly { readonly account: string; readonly amount: bigint; readonly cells: Cell[] }[];
}

/** The token of a lease is the version of its row. */
export interface FenceStep {
  readonly op: 'fence';
  readonly schema: TableSchema;
  readonly key: Claim;
  readonly version: number;
}

export type Step = InsertStep | UpdateStep | RequireStep | PostStep | Count | FenceStep;

/** A change set encoded by its caller, so that an invalid row fails alone, before it joins a group. */
export interface PreparedSet {
  readonly name: string;
  readonly steps: readonly Step[];
}

const POSTINGS = schemaOf('postings');
const LEASES = schemaOf('leases');

export function prepareSet(set: ChangeSet): PreparedSet {
  return { name: set.name, steps: set.changes.map(prepareChange) };
}

function prepareChange(change: Change): Step {
  switch (change.op) {
    case 'insert':
      return prepareInsert(change);
    case 'update':
      return prepareUpdate(change);
    case 'require':
      return prepareRequire(change);
    case 'post':
      return preparePost(change);
    case 'count':
      return change;
    case 'fence':
      return prepareFence(change);
  }
}

function prepareInsert(change: Insert): InsertStep {
  const schema = schemaOf(change.table);
  const cells = encodeRow(schema, change.row);
  const claims = schema.uniques.map((unique) => claimOf(unique, cells));
  return { op: 'insert', schema, cells, claims, ifAbsent: change.ifAbsent ?? false };
}

function claimOf(unique: UniqueKey, row: readonly Cell[]): Claim | null {
  if (unique.whenNull && row[unique.whenNull.at] !== null) return null;
  const cells = unique.columns.map((column) => row[column.at] ?? null);
  return cells.includes(null) ? null : claim(cells);
}

function claim(cells: readonly Cell[]): Claim {
  return { cells, identity: identityOf(cells) };
}

/** Injective: parts of a composite key cannot run into each other. */
export function identityOf(cells: readonly unknown[]): string {
  return cells.length === 1 ? String(cells[0]) : JSON.stringify(cells);
}

function keyOf(schema: TableSchema, key: object): Claim {
  const fields = key as Readonly<Record<string, unknown>>;
  return claim(schema.key.columns.map((column) => encodeCell(schema, column, fields[column.field])));
}

function prepareUpdate(change: Update): UpdateStep {
  const schema = schemaOf(change.table);
  const key = keyOf(schema, change.key);
  const patch = new Map<number, Cell>();
  for (const [field, value] of Object.entries(change.set)) {
    const column = schema.byField.get(field);
    if (!column) throw new TypeError(`${schema.table} has no field ${field}`);
    // Only the store changes versions, and keys are immutable.
    if (column === schema.version || schema.key.columns.includes(column) || value === undefined) continue;
    patch.set(column.at, encodeCell(schema, column, value));
  }
  return { op: 'update', schema, key, version: change.version, patch };
}

function prepareRequire(change: Require): RequireStep {
  const schema = schemaOf(change.table);
  return { op: 'require', schema, key: keyOf(schema, change.key), version: change.version };
}

function prepareFence(change: Fence): FenceStep {
  return { op: 'fence', schema: LEASES, key: claim([change.scope]), version: change.token };
}

function preparePost(change: Post): PostStep {
  const accounts = new Set<string>();
  const lines = change.lines.map((line) => {
    const identity = identityOf([line.groupId, line.account]);
    if (accounts.has(identity)) throw new TypeError(`posting ${line.groupId} names ${line.account} twice`);
    accounts.add(identity);
    return { account: line.account, amount: line.amount, cells: encodeRow(POSTINGS, line) };
  });
  return { op: 'post', groups: [...new Set(change.lines.map((line) => line.groupId))], lines };
}
