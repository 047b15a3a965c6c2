import type { ChainId } from '../../contract/ids.js';
import type { RequestFilter, RequestSearch, SearchCondition, SearchSort } from '../../contract/search.js';
import { type Reader, rowsOf } from '../reads/reader.js';
import { column, FACET_AMOUNT, RANGE_COLUMNS } from './columns.js';
import { filterTerm, rangeTerm } from './conditions.js';
import { type Driver, driversOf } from './drivers.js';
import type { Term } from './term.js';

export interface Plan {
  /** Null: walks the index of the sort order, and every condition filters. */
  readonly driver: Driver | null;
  readonly filters: readonly Term[];
  /**
   * Rows come in sort order, so the walk ends with the page: along the driver's index (also by amount) or that of the
   * sort order.
   */
  readonly walks: boolean | 'byAmount';
  /** Rows come by creation, near the sort order (`near.ts`). */
  readonly near: boolean;
  readonly probe: Driver | null;
  readonly conditions: readonly SearchCondition[];
}

/**
 * A driver with fewer rows is read whole and sorted. Measured at 640,000 requests: a walk with one common condition
 * is short, with several it can take 2 s, while reading up to four times this number bounds the time.
 */
export const MAX_ROWS_SCANNED = 5_000;
const SEVERAL_CONDITIONS_FACTOR = 4;
/** Below this, reading everything is always good enough. */
const MIN_FEW_ROWS = 500;

/** For all plans of a statement; SQLite joins at most 500 selects. */
const MAX_BRANCHES = 400;

export function conjunctions({ all, anyOf }: RequestFilter): (readonly SearchCondition[])[] {
  return anyOf && anyOf.length > 0 ? anyOf.map((group) => [...all, ...group]) : [all];
}

export function commonTerms(
  { filter, asOf }: Pick<RequestSearch, 'filter' | 'asOf'>,
  hidden: readonly ChainId[],
): Term[] {
  const excluded = hidden.filter((chain) => !filter.hiddenChains.includes(chain));
  const terms: Term[] = [];
  for (const name of excluded.length > 0 ? ['origin_chain_id', 'destination_chain_id'] : []) {
    terms.push({ sql: `(r.${name} + 0) not in (${excluded.map(() => '?').join(',')})`, cells: excluded });
  }
  if (asOf !== undefined) terms.push({ sql: '(r.created_at + 0) <= ?', cells: [asOf] });
  return terms;
}

export async function planOf(
  reader: Reader,
  conditions: readonly SearchCondition[],
  common: readonly Term[],
  { sort, among, few }: { readonly sort: SearchSort | null; readonly among: number; readonly few: number },
): Promise<Plan> {
  const drivers = driversOf(conditions, Math.floor(MAX_BRANCHES / among)).filter(
    ({ condition }) => condition.kind !== 'range' || condition.field !== sort,
  );
  const { driver, rare, probe } = await chosen(
    reader,
    drivers,
    sort,
    conditions.length > 1 ? few * SEVERAL_CONDITIONS_FACTOR : few,
  );
  const near = sort === 'updatedAt' && driver !== null && driver.ordered && !rare;
  const byAmount = driver !== null && driver === probe;
  const walks = byAmount ? 'byAmount' : driver === null || (driver.ordered && sort === 'createdAt');
  const rest = conditions.filter((condition) => condition !== driver?.condition);
  const filters = rest.map((condition) =>
    walks && condition.kind === 'range' && condition.field === sort
      ? rangeTerm(condition, byAmount ? FACET_AMOUNT : column(RANGE_COLUMNS[condition.field]))
      : filterTerm(condition),
  );
  return { driver, filters: [...filters, ...common], walks, near, probe: byAmount ? null : probe, conditions };
}

interface Choice {
  readonly driver: Driver | null;
  readonly rare: boolean;
  /** A driver with an index in sort order; if it is the driver itself, only that walk is used. */
  readonly probe: Driver | null;
}

async function chosen(
  reader: Reader,
  drivers: readonly Driver[],
  sort: SearchSort | null,
  few: number,
): Promise<Choice> {
  const [first] = drivers;
  const choice = (driver: Driver | null | undefined, more: Partial<Choice> = {}): Choice => ({
    driver: driver ?? null,
    rare: false,
    probe: null,
    ...more,
  });
  if (!first) return choice(null);
  if (first.few) return choice(first, { rare: true });
  if (drivers.length === 1 && sort === 'amountUsd' && first.byAmount) return choice(first, { probe: first });
  if (drivers.length === 1 && (sort === null || (sort === 'createdAt' && first.ordered))) return choice(first);
  const counts = await countUpTo(reader, drivers, few);
  const least = counts.indexOf(Math.min(...counts));
  const count = counts[least] ?? few;
  const probe = sort === 'amountUsd' && count >= few / SEVERAL_CONDITIONS_FACTOR ? rarest(drivers, counts) : null;
  // A walk by creation ends with its page and reads no more than all.
  if (count < few) return choice(drivers[least] ?? first, { rare: count < Math.min(few, MIN_FEW_ROWS), probe });
  if (sort === null) return choice(first);
  // Without a selective condition, a walk in sort order is the best plan.
  if (sort === 'amountUsd') return choice(probe, { probe });
  return choice(drivers.find(({ ordered }) => ordered));
}

function rarest(drivers: readonly Driver[], counts: readonly number[]): Driver | null {
  const able = drivers.flatMap((driver, at) => (driver.byAmount ? [{ driver, count: counts[at] ?? 0 }] : []));
  return able.sort((a, b) => a.count - b.count)[0]?.driver ?? null;
}

async function countUpTo(reader: Reader, drivers: readonly Driver[], few: number): Promise<number[]> {
  const counts = drivers.flatMap((driver) => driver.counts);
  const columns = counts.map(({ sql }, at) => `(select count(*) from (${sql} limit ${few}) as c${at}) as n${at}`);
  const [row] = rowsOf(
    await reader.raw(
      `select ${columns.join(', ')}`,
      counts.flatMap(({ cells }) => [...cells]),
    ),
  );
  let at = 0;
  return drivers.map((driver) => {
    const own = driver.counts.map(() => Number(row?.[`n${at++}`] ?? 0));
    return driver.few ? 0 : own.reduce((sum, count) => sum + count, 0);
  });
}
