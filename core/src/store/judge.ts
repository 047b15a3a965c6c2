import type { ApplyOutcome, Count } from '../contract/store.js';
import type { Known } from './known.js';
import type { FenceStep, InsertStep, PostStep, PreparedSet, RequireStep, Step, UpdateStep } from './prepare.js';
import type { Cell } from './rows.js';
import type { TableSchema } from './schema.js';

export interface RowUpdate {
  readonly key: readonly Cell[];
  readonly from: number;
  readonly to: number;
  readonly patch: Map<number, Cell>;
}

export interface Writes {
  readonly inserts: Map<TableSchema, Cell[][]>;
  readonly updates: Map<TableSchema, Map<string, RowUpdate>>;
  readonly postings: Cell[][];
  readonly pots: Map<string, bigint>;
}

type Conflict = Extract<ApplyOutcome, { ok: false }>['conflict'];

interface Bench {
  readonly known: Known;
  readonly writes: Writes;
  readonly fresh: Map<TableSchema, Map<string, Cell[]>>;
  readonly undo: (() => void)[];
}

/**
 * Each set sees the writes of the accepted ones before it.
 *
 * Invariant: runs for the only writer on answers that hold in its transaction, so judging in memory equals executing
 * step by step. A refused set is undone completely before the next is judged.
 */
export function judge(sets: readonly PreparedSet[], known: Known): { outcomes: ApplyOutcome[]; writes: Writes } {
  const writes: Writes = { inserts: new Map(), updates: new Map(), postings: [], pots: new Map() };
  const bench: Bench = { known, writes, fresh: new Map(), undo: [] };
  const outcomes = sets.map((set): ApplyOutcome => {
    bench.undo.length = 0;
    for (const step of set.steps) {
      const conflict = take(bench, step);
      if (!conflict) continue;
      for (const back of bench.undo.reverse()) back();
      return { ok: false, conflict };
    }
    return { ok: true };
  });
  return { outcomes, writes };
}

function take(bench: Bench, step: Step): Conflict | null {
  switch (step.op) {
    case 'insert':
      return insert(bench, step);
    case 'update':
      return update(bench, step);
    case 'require':
      return versionConflict(bench, step);
    case 'post':
      return post(bench, step);
    case 'count':
      return count(bench, step);
    case 'fence':
      return fenced(bench, step);
  }
}

function insert(bench: Bench, step: InsertStep): Conflict | null {
  const { schema } = step;
  for (const [at, claim] of step.claims.entries()) {
    // guard: unique-keys
    if (!claim || !bench.known.rows(schema, at).has(claim.identity)) continue;
    return step.ifAbsent ? null : { kind: 'duplicate', table: schema.table, key: claim.cells.join('/') };
  }
  const version = schema.version ? Number(step.cells[schema.version.at]) : 0;
  step.claims.forEach((claim, at) => {
    if (claim) put(bench, bench.known.rows(schema, at), claim.identity, version);
  });
  // A copy: later updates of the group change it, and the step may be judged again alone.
  const cells = [...step.cells];
  const rows = entry(bench.writes.inserts, schema, (): Cell[][] => []);
  rows.push(cells);
  bench.undo.push(() => rows.pop());
  put(
    bench,
    entry(bench.fresh, schema, () => new Map<string, Cell[]>()),
    step.claims[0]!.identity,
    cells,
  );
  return null;
}

function versionConflict(bench: Bench, step: UpdateStep | RequireStep): Conflict | null {
  const stored = bench.known.rows(step.schema, 0).get(step.key.identity);
  // guard: row-versions
  return stored === step.version ? null : { kind: 'version', table: step.schema.table, key: step.key.cells.join('/') };
}

function fenced(bench: Bench, step: FenceStep): Conflict | null {
  const held = bench.known.rows(step.schema, 0).get(step.key.identity);
  // guard: fencing-tokens
  return held === step.version ? null : { kind: 'fenced', table: step.schema.table, key: step.key.cells.join('/') };
}

function update(bench: Bench, step: UpdateStep): Conflict | null {
  const conflict = versionConflict(bench, step);
  if (conflict) return conflict;
  const { schema } = step;
  const { identity, cells: key } = step.key;
  const to = step.version + 1;
  put(bench, bench.known.rows(schema, 0), identity, to);

  const fresh = bench.fresh.get(schema)?.get(identity);
  if (fresh) {
    const before = [...fresh];
    for (const [at, cell] of step.patch) fresh[at] = cell;
    fresh[schema.version!.at] = to;
    bench.undo.push(() => fresh.splice(0, fresh.length, ...before));
    return null;
  }
  const updates = entry(bench.writes.updates, schema, () => new Map<string, RowUpdate>());
  const before = updates.get(identity);
  const patch = new Map([...(before?.patch ?? []), ...step.patch]);
  put(bench, updates, identity, { key, from: before?.from ?? step.version, to, patch });
  return null;
}

function post(bench: Bench, step: PostStep): Conflict | null {
  for (const group of step.groups) {
    // guard: posting-groups
    if (bench.known.groups.has(group)) return { kind: 'duplicate', table: 'postings', key: group };
  }
  for (const group of step.groups) {
    bench.known.groups.add(group);
    bench.undo.push(() => bench.known.groups.delete(group));
  }
  for (const line of step.lines) {
    bench.writes.postings.push(line.cells);
    bench.undo.push(() => bench.writes.postings.pop());
    add(bench, line.account, line.amount);
  }
  return null;
}

function count(bench: Bench, step: Count): Conflict | null {
  const result = bench.known.pot(step.account) + step.by;
  const bound = { kind: 'bound', table: 'pots', key: step.account } as const;
  if (step.atLeast !== undefined && result < step.atLeast) return bound;
  if (step.atMost !== undefined && result > step.atMost) return bound;
  // guard: reservation-bound
  if (step.atMostPot && result > bench.known.pot(step.atMostPot.account) - step.atMostPot.keep) return bound;
  add(bench, step.account, step.by);
  return null;
}

function add(bench: Bench, account: string, by: bigint): void {
  const total = bench.known.pot(account) + by;
  put(bench, bench.known.pots, account, total);
  put(bench, bench.writes.pots, account, total);
}

function put<K, V>(bench: Bench, map: Map<K, V>, key: K, value: V): void {
  const had = map.has(key);
  const before = map.get(key);
  map.set(key, value);
  bench.undo.push(() => {
    if (had) map.set(key, before as V);
    else map.delete(key);
  });
}

function entry<K, V>(map: Map<K, V>, key: K, make: () => V): V {
  let value = map.get(key);
  if (value === undefined) {
    value = make();
    map.set(key, value);
  }
  return value;
}
