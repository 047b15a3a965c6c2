import type { Keyset, RequestSearch, SearchCondition } from '../../contract/search.js';
import { type Reader, rowsOf } from '../reads/reader.js';
import { veiled } from './columns.js';
import { filterTerm } from './conditions.js';
import type { Driver } from './drivers.js';
import { allOf, NEVER, type Term } from './term.js';

/**
 * Requests by last change, found by walking the index by creation. Nearly every request changes for the last time
 * within this time of its creation; the others have an index (`listing_late`). An index per field by `updatedAt`
 * would be rewritten at every status change, and that of `updatedAt` alone may pass every request (81 ms among
 * 200,000).
 */
export const NEAR_MS = 600_000;

const SPAN = '(r.updated_at - r.created_at)';
const NEAR: Term = { sql: `${SPAN} between 0 and ${NEAR_MS}`, cells: [] };
/** Same text as in the index, so that the planner uses it. */
const LATE: Term = { sql: `${SPAN} not between 0 and ${NEAR_MS}`, cells: [] };

interface NearPlan {
  readonly driver: Driver;
  readonly filters: readonly Term[];
  readonly conditions: readonly SearchCondition[];
}

interface Window {
  readonly from?: number;
  readonly to?: number;
}

interface Made extends Keyset {
  readonly made: number;
}

export interface NearRows {
  readonly parts: readonly Term[];
  readonly found: readonly Keyset[];
}

export async function nearRows(
  reader: Reader,
  { driver, filters, conditions }: NearPlan,
  { direction, after }: Pick<RequestSearch, 'direction' | 'after'>,
  limit: number,
): Promise<NearRows> {
  const past = direction === 'asc' ? '>' : '<';
  const keyset = (value: string, id: string): Term[] =>
    after ? [{ sql: `(${value}, ${id}) ${past} (?, ?)`, cells: [after.value, after.id] }] : [];
  const [value, id] = [veiled('updated_at', 0), veiled('id', '')];
  const near = [...filters, NEAR, ...keyset(value, id)];
  const outer = outerWindow(direction, after?.value ?? undefined, conditions);
  const late = allOf([LATE, filterTerm(driver.condition), ...filters, ...keyset('r.updated_at', 'r.id')]);
  const parts = [part(late, `order by r.updated_at ${direction}, r.id ${direction}`, limit)];
  const found: Keyset[] = [];
  const nextOnes = await nextByCreation(reader, driver, [...near, ...within(outer)], direction, limit);
  for (const [at, rows] of nextOnes.entries()) {
    found.push(...rows);
    // Less than a page: complete. Otherwise they bound the distance of the next by change.
    if (rows.length < limit) continue;
    const term = driver.branches[at]?.term ?? NEVER;
    const where = allOf([term, ...near, ...within(beyond(rows, direction))]);
    parts.push(part(where, `order by ${value} ${direction}, ${id} ${direction}`, limit));
  }
  return { parts, found };
}

function part({ sql, cells }: Term, order: string, limit: number): Term {
  const select = `select r.id, r.updated_at as value from request_listing r where ${sql} ${order} limit ?`;
  return { sql: select, cells: [...cells, limit] };
}

function outerWindow(
  direction: 'asc' | 'desc',
  value: number | undefined,
  conditions: readonly SearchCondition[],
): Window {
  const froms = direction === 'asc' && value !== undefined ? [value] : [];
  const tos = direction === 'desc' && value !== undefined ? [value] : [];
  for (const condition of conditions) {
    if (condition.kind !== 'range' || condition.field !== 'updatedAt') continue;
    if (condition.from !== undefined) froms.push(condition.from);
    if (condition.to !== undefined) tos.push(condition.to);
  }
  return {
    ...(froms.length > 0 ? { from: Math.max(...froms) - NEAR_MS } : {}),
    ...(tos.length > 0 ? { to: Math.min(...tos) } : {}),
  };
}

async function nextByCreation(
  reader: Reader,
  { branches }: Driver,
  rest: readonly Term[],
  direction: 'asc' | 'desc',
  limit: number,
): Promise<Made[][]> {
  const wheres = branches.map(({ term }) => allOf([term, ...rest]));
  const selects = wheres.map(
    ({ sql }, at) =>
      `select * from (select ${at} as branch, r.id, r.updated_at as value, r.created_at as made from request_listing r ` +
      `where ${sql} order by r.created_at ${direction} limit ?) as found${at}`,
  );
  const cells = wheres.flatMap((where) => [...where.cells, limit]) as (string | number)[];
  const found: Made[][] = branches.map(() => []);
  for (const row of rowsOf(await reader.raw(selects.join(' union all '), cells))) {
    const [value, made] = [Number(row['value']), Number(row['made'])];
    found[Number(row['branch'])]?.push({ id: String(row['id']), value, made });
  }
  return found;
}

function beyond(rows: readonly Made[], direction: 'asc' | 'desc'): Window {
  const changes = rows.map(({ value }) => value ?? 0);
  const made = rows.map((row) => row.made);
  return direction === 'asc'
    ? { from: Math.max(...made), to: Math.max(...changes) }
    : { from: Math.min(...changes) - NEAR_MS, to: Math.min(...made) };
}

/** Always with a lower bound: otherwise the planner may use a facet's index by amount. */
function within({ from = 0, to }: Window): Term[] {
  return [
    { sql: 'r.created_at >= ?', cells: [from] },
    ...(to === undefined ? [] : [{ sql: 'r.created_at <= ?', cells: [to] }]),
  ];
}
