import type { ApplyOutcome } from '@causeway/core';
import { type Cell, type PreparedSet, type Step, TABLES, type TableSchema } from '@causeway/core/sql';
import { storable } from './text.js';

/** Short names, because it is sent and parsed with each change set. */
interface Wire {
  /** Rows to lock before anything is judged; `w`: for writing. */
  readonly locks: readonly { readonly t: string; readonly k: Cell; readonly w: boolean }[];
  /** Pots to lock after the rows. */
  readonly pots?: readonly string[];
  /** The pots that no step writes to. */
  readonly bounds?: readonly string[];
  readonly steps: readonly WireStep[];
}

type Row = Readonly<Record<string, Cell>>;

type WireStep =
  | { readonly o: 'insert'; readonly t: string; readonly r: Row; readonly a?: 1 }
  | { readonly o: 'update'; readonly t: string; readonly k: Cell; readonly v: number; readonly r: Row }
  | { readonly o: 'require'; readonly t: string; readonly k: Cell; readonly v: number }
  | { readonly o: 'fence'; readonly k: Cell; readonly v: number }
  | { readonly o: 'post'; readonly l: readonly Row[] }
  | {
      readonly o: 'count';
      readonly k: string;
      readonly by: string;
      readonly min?: string;
      readonly max?: string;
      readonly pot?: string;
      readonly keep?: string;
    };

type Conflict = Extract<ApplyOutcome, { ok: false }>['conflict'];

export interface Encoded {
  readonly text: string;
  conflict(step: number, unique: number): Conflict;
}

const ORDER = new Map(TABLES.map(({ table }, at) => [table as string, at]));

export function encodeSet(set: PreparedSet): Encoded {
  const steps: WireStep[] = [];
  const conflicts: ((unique: number) => Conflict)[] = [];
  for (const step of set.steps) {
    for (const [wire, conflict] of encodeStep(step)) {
      steps.push(wire);
      conflicts.push(conflict);
    }
  }
  const wire: Wire = { ...locksOf(set), steps };
  return { text: JSON.stringify(wire), conflict: (step, unique) => conflicts[step]!(unique) };
}

function* encodeStep(step: Step): Generator<readonly [WireStep, (unique: number) => Conflict]> {
  switch (step.op) {
    case 'insert': {
      const { table } = step.schema;
      const wire: WireStep = { o: 'insert', t: table, r: rowOf(step.schema, step.cells.entries()) };
      const conflict = (unique: number): Conflict => ({
        kind: 'duplicate',
        table,
        key: (step.claims[unique] ?? step.claims[0])!.cells.join('/'),
      });
      yield [step.ifAbsent ? { ...wire, a: 1 } : wire, conflict];
      return;
    }
    case 'update':
    case 'require': {
      const { table } = step.schema;
      const at = { t: table, k: clean(step.key.cells[0] ?? null), v: step.version };
      const conflict = (): Conflict => ({ kind: 'version', table, key: step.key.cells.join('/') });
      yield [
        step.op === 'require' ? { o: 'require', ...at } : { o: 'update', ...at, r: rowOf(step.schema, step.patch) },
        conflict,
      ];
      return;
    }
    case 'fence': {
      const conflict = (): Conflict => ({ kind: 'fenced', table: step.schema.table, key: step.key.cells.join('/') });
      yield [{ o: 'fence', k: clean(step.key.cells[0] ?? null), v: step.version }, conflict];
      return;
    }
    case 'post': {
      const schema = POSTINGS;
      for (const group of step.groups) {
        const own = step.lines.filter(({ cells }) => cells[GROUP_AT] === group);
        const l = own.map(({ cells }) => rowOf(schema, cells.entries()));
        yield [{ o: 'post', l }, () => ({ kind: 'duplicate', table: 'postings', key: group })];
      }
      return;
    }
    case 'count': {
      const { account, by, atLeast, atMost, atMostPot } = step;
      const wire: WireStep = {
        o: 'count',
        k: storable(account),
        by: by.toString(),
        ...(atLeast === undefined ? {} : { min: atLeast.toString() }),
        ...(atMost === undefined ? {} : { max: atMost.toString() }),
        ...(atMostPot ? { pot: storable(atMostPot.account), keep: atMostPot.keep.toString() } : {}),
      };
      yield [wire, () => ({ kind: 'bound', table: 'pots', key: account })];
      return;
    }
  }
}

const POSTINGS = TABLES.find(({ table }) => table === 'postings') as TableSchema;
const GROUP_AT = POSTINGS.byField.get('groupId')!.at;

function rowOf(schema: TableSchema, cells: Iterable<readonly [at: number, cell: Cell]>): Row {
  const row: Record<string, Cell> = {};
  for (const [at, cell] of cells) row[schema.columns[at]!.name] = clean(cell);
  return row;
}

function clean(cell: Cell): Cell {
  return typeof cell === 'string' ? storable(cell) : cell;
}

/** A set that waits for a single row or pot and inserts nothing cannot deadlock, so it locks nothing in advance. */
function locksOf({ steps }: PreparedSet): Pick<Wire, 'locks' | 'pots' | 'bounds'> {
  const rows = new Map<string, { readonly t: string; readonly k: Cell; w: boolean }>();
  const written = new Set<string>();
  const bounds = new Set<string>();
  for (const step of steps) {
    if (step.op === 'update' || step.op === 'require') {
      const { table } = step.schema;
      const id = `${table}/${step.key.identity}`;
      const row = rows.get(id) ?? { t: table, k: clean(step.key.cells[0] ?? null), w: false };
      row.w ||= step.op === 'update';
      rows.set(id, row);
    }
    if (step.op === 'post') for (const { account } of step.lines) written.add(storable(account));
    if (step.op === 'count') {
      written.add(storable(step.account));
      if (step.atMostPot) bounds.add(storable(step.atMostPot.account));
    }
  }
  for (const account of written) bounds.delete(account);
  const pots = [...written, ...bounds];
  const inserts = steps.some(({ op }) => op === 'insert' || op === 'post');
  const locks = inserts || rows.size + pots.length > 1 ? [...rows.values()].sort(inOrder) : [];
  return {
    locks,
    ...(pots.length > (inserts ? 0 : 1) ? { pots } : {}),
    ...(bounds.size > 0 ? { bounds: [...bounds] } : {}),
  };
}

interface Lockable {
  readonly t: string;
  readonly k: Cell;
}

function inOrder(a: Lockable, b: Lockable): number {
  if (a.t !== b.t) return ORDER.get(a.t)! - ORDER.get(b.t)!;
  return String(a.k) < String(b.k) ? -1 : 1;
}
