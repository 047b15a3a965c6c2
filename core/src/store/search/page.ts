import type { ChainId } from '../../contract/ids.js';
import {
  type Keyset,
  type RequestFilter,
  type RequestSearch,
  type SearchSort,
  SearchTimeoutError,
} from '../../contract/search.js';
import { type Reader, rowsOf } from '../reads/reader.js';
import { column, FACET_AMOUNT, RANGE_COLUMNS, veiled } from './columns.js';
import { filterTerm } from './conditions.js';
import type { Driver } from './drivers.js';
import { type NearRows, nearRows } from './near.js';
import { commonTerms, conjunctions, MAX_ROWS_SCANNED, type Plan, planOf } from './plan.js';
import { allOf, not, type Term } from './term.js';

interface Phase {
  readonly missing: boolean;
  readonly after: Keyset | undefined;
}

/**
 * Ids of one page, and whether more follow.
 *
 * @param hidden chains whose requests need permission.
 */
export async function searchPage(
  reader: Reader,
  search: RequestSearch,
  hidden: readonly ChainId[],
  few = MAX_ROWS_SCANNED,
): Promise<{ readonly found: readonly Keyset[]; readonly more: boolean }> {
  const common = commonTerms(search, hidden);
  const sets = conjunctions(search.filter);
  const plans: Plan[] = [];
  for (const conditions of sets) {
    plans.push(await planOf(reader, conditions, common, { sort: search.sortBy, among: sets.length, few }));
  }
  const found: Keyset[] = [];
  for (const phase of phasesOf(search)) {
    const wanted = search.limit + 1 - found.length;
    if (wanted > 0) found.push(...(await phaseRows(reader, plans, search, phase, wanted)));
  }
  return { found: found.slice(0, search.limit), more: found.length > search.limit };
}

function phasesOf({ sortBy, after }: RequestSearch): Phase[] {
  if (sortBy !== 'amountUsd') return [{ missing: false, after }];
  const last: Phase = { missing: true, after: after?.value === null ? after : undefined };
  return after?.value === null ? [last] : [{ missing: false, after }, last];
}

async function phaseRows(
  reader: Reader,
  plans: readonly Plan[],
  { sortBy, direction }: RequestSearch,
  phase: Phase,
  limit: number,
): Promise<Keyset[]> {
  const parts: Term[] = [];
  const found = new Map<string, Keyset>();
  for (const plan of plans) {
    const rows = await rowsAlong(reader, plan, { sortBy, direction }, phase, limit);
    parts.push(...rows.parts);
    for (const row of rows.found) found.set(row.id, row);
  }
  const inPlace = found.size === 0;
  if (parts.length > 0) {
    for (const row of keysets(await reader.raw(...statement(parts, direction, limit)))) found.set(row.id, row);
  }
  const rows = [...found.values()];
  return inPlace ? rows : rows.sort(inOrder(direction)).slice(0, limit);
}

function keysets(result: unknown): Keyset[] {
  return rowsOf(result).map(({ id, value }) => ({ id: String(id), value: value === null ? null : Number(value) }));
}

function inOrder(direction: 'asc' | 'desc'): (a: Keyset, b: Keyset) => number {
  const sign = direction === 'asc' ? 1 : -1;
  return (a, b) => sign * ((a.value ?? 0) - (b.value ?? 0) || (a.id < b.id ? -1 : 1));
}

async function rowsAlong(
  reader: Reader,
  plan: Plan,
  { sortBy, direction }: Pick<RequestSearch, 'sortBy' | 'direction'>,
  phase: Phase,
  limit: number,
): Promise<NearRows> {
  const { driver, near, filters } = plan;
  if (near && driver) {
    return nearRows(reader, { ...plan, driver }, { direction, ...(phase.after ? { after: phase.after } : {}) }, limit);
  }
  if (plan.probe) {
    const found = await probed(reader, plan.probe, plan, { sortBy, direction }, phase, limit);
    if (found.length === limit) return { parts: [], found };
  }
  const walk = walkTerms(sortBy, direction, phase, plan.walks);
  const branches = driver ? driver.branches.map(({ term }) => [term]) : [[]];
  const parts = branches.map((branch) => {
    const where = allOf([...branch, ...filters, ...walk.bounds]);
    return {
      sql: `select r.id, r.${RANGE_COLUMNS[sortBy]} as value from request_listing r where ${where.sql} ${walk.order} limit ?`,
      cells: [...where.cells, limit],
    };
  });
  return { parts, found: [] };
}

const PROBED = 4_000;

/** Tries an index in sort order for a limited number of entries: common conditions fill a page soon. */
async function probed(
  reader: Reader,
  { branches }: Driver,
  { driver, filters }: Pick<Plan, 'driver' | 'filters'>,
  { sortBy, direction }: Pick<RequestSearch, 'sortBy' | 'direction'>,
  phase: Phase,
  limit: number,
): Promise<Keyset[]> {
  const walk = walkTerms(sortBy, direction, phase, 'byAmount');
  const along = allOf([...branches.map(({ term }) => term), ...walk.bounds]);
  const where = allOf([...filters, ...(driver ? [filterTerm(driver.condition)] : [])]);
  const sql =
    `select r.id, r.${RANGE_COLUMNS[sortBy]} as value from (select * from request_listing r where ${along.sql} ` +
    `${walk.order} limit ${PROBED}) as r where ${where.sql} limit ?`;
  return keysets(await reader.raw(sql, [...along.cells, ...where.cells, limit] as (string | number)[]));
}

/** SQLite binds at most 32,766 values a statement, PostgreSQL 65,535. */
const MAX_CELLS = 32_000;

/** @throws SearchTimeoutError where they are more than a statement can bind. */
function cellsOf(parts: readonly Term[]): (string | number)[] {
  const cells = parts.flatMap((part) => [...part.cells]) as (string | number)[];
  if (cells.length > MAX_CELLS) throw new SearchTimeoutError(`${cells.length} values in a statement`);
  return cells;
}

function statement(parts: readonly Term[], direction: string, limit: number): [string, (string | number)[]] {
  const cells = cellsOf(parts);
  const [only] = parts;
  if (only && parts.length === 1) return [only.sql, cells];
  const union = parts.map((part, at) => `select * from (${part.sql}) as found${at}`).join(' union ');
  return [`${union} order by value ${direction}, id ${direction} limit ?`, [...cells, limit]];
}

/** @param walks along an index; otherwise everything found is sorted, and indexes are hidden from the planner. */
function walkTerms(sortBy: SearchSort, direction: 'asc' | 'desc', { missing, after }: Phase, walks: Plan['walks']) {
  const name = RANGE_COLUMNS[sortBy];
  const id = walks ? column('id') : veiled('id', '');
  const value = walks === 'byAmount' ? FACET_AMOUNT : walks ? column(name) : veiled(name, 0);
  const past = direction === 'asc' ? '>' : '<';
  const bounds: Term[] = [];
  // Always true; without it the planner may use a facet's index by amount.
  if (walks && sortBy === 'createdAt') bounds.push({ sql: `${value} >= 0`, cells: [] });
  if (sortBy === 'amountUsd') bounds.push({ sql: `${value} is ${missing ? '' : 'not '}null`, cells: [] });
  if (after && missing) bounds.push({ sql: `${id} ${past} ?`, cells: [after.id] });
  // Planners position on a row value only in an index of plain columns.
  if (after && !missing && walks === 'byAmount') bounds.push({ sql: `${value} ${past}= ?`, cells: [after.value] });
  if (after && !missing) bounds.push({ sql: `(${value}, ${id}) ${past} (?, ?)`, cells: [after.value, after.id] });
  return { bounds, order: `order by ${missing ? '' : `${value} ${direction}, `}${id} ${direction}` };
}

export async function searchTotal(
  reader: Reader,
  filter: RequestFilter,
  hidden: readonly ChainId[],
  few = MAX_ROWS_SCANNED,
): Promise<number> {
  const common = commonTerms({ filter }, hidden);
  const sets = conjunctions(filter);
  const parts: Term[] = [];
  const earlier: Term[] = [];
  for (const conditions of sets) {
    const { driver, filters } = await planOf(reader, conditions, common, { sort: null, among: sets.length, few });
    const branches = driver?.branches ?? [{ term: undefined, apart: [] }];
    for (const { term, apart } of branches) {
      const where = allOf([...(term ? [term] : []), ...filters, ...apart, ...earlier]);
      parts.push({ sql: `(select count(*) from request_listing r where ${where.sql})`, cells: where.cells });
    }
    earlier.push(not(allOf(conditions.map(filterTerm))));
  }
  const sum = parts.map(({ sql }) => sql).join(' + ');
  const [row] = rowsOf(await reader.raw(`select ${sum} as n`, cellsOf(parts)));
  return Number(row?.['n'] ?? 0);
}
