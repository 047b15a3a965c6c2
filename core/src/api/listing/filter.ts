import type { SearchCondition } from '../../contract/search.js';
import { ApiError, invalidRequest } from '../../errors/api-error.js';
import { conditionOf, FIELDS, type FieldName } from './fields.js';
import { type FilterGroup, filterGroups } from './groups.js';
import type { ListingQuery } from './query.js';
import { type Chains, idSpellings } from './spellings.js';

export interface AskedFilter {
  readonly all: readonly SearchCondition[];
  readonly groups: readonly FilterGroup[];
}

const MAX_VALUES = 50;
const LISTS: ReadonlySet<FieldName> = new Set<FieldName>(['apiKey', 'features']);

export function filterOf(query: ListingQuery, chains: Chains): AskedFilter | ApiError {
  const all: SearchCondition[] = [];
  for (const name of Object.keys(FIELDS) as FieldName[]) {
    const given = query[name];
    if (given === undefined || isOverridden(name, query)) continue;
    const values = listOf(name, given);
    if (values instanceof ApiError) return values;
    const condition = conditionOf(name, values, chains, { name, not: false });
    if (condition instanceof ApiError) return condition;
    all.push(condition);
  }
  const groups = query.filters === undefined ? [] : filterGroups(query.filters, chains);
  if (groups instanceof ApiError) return groups;
  return { all: [...family(query, all), ...ranges(query)], groups };
}

function isOverridden(name: FieldName, query: ListingQuery): boolean {
  return name === 'chainId' && (query.originChainId !== undefined || query.destinationChainId !== undefined);
}

export function listOf(name: string, given: string | number): readonly (string | number)[] | ApiError {
  if (!LISTS.has(name as FieldName) || typeof given !== 'string') return [given];
  return commas(name, given);
}

export function commas(name: string, given: string): readonly string[] | ApiError {
  const parts = given.split(',').map((part) => part.trim());
  if (parts.some((part) => part === '')) return invalidRequest(name, 'must not have empty values');
  return parts.length <= MAX_VALUES ? parts : invalidRequest(name, `must have at most ${MAX_VALUES} values`);
}

/** With `includeChildRequests` the id also finds its children. */
function family(
  { id, includeChildRequests }: ListingQuery,
  all: readonly SearchCondition[],
): readonly SearchCondition[] {
  if (id === undefined || includeChildRequests !== true) return all;
  const others = all.filter((condition) => condition.kind !== 'is' || condition.field !== 'id');
  const ids = [idSpellings(id)[0] ?? id];
  return [...others, { kind: 'family', ids, parents: ids }];
}

const MICRO = 1_000_000;
const MS = 1_000;

function ranges(query: ListingQuery): SearchCondition[] {
  const time = query.sortBy === 'updatedAt' ? 'updatedAt' : 'createdAt';
  const found: SearchCondition[] = [
    // Bounds are whole seconds and inclusive: everything within the last second matches.
    range(time, whole(query.startTimestamp, MS), plus(whole(query.endTimestamp, MS), 999)),
    range('amountUsd', whole(query.amountUsdMin, MICRO), whole(query.amountUsdMax, MICRO)),
    range('appFeesUsd', whole(query.appFeesAmountUsdMin, MICRO), whole(query.appFeesAmountUsdMax, MICRO)),
    range('fillTimeMs', whole(query.fillTimeMin, MS), whole(query.fillTimeMax, MS)),
  ].flatMap((one) => one ?? []);
  const { startBlock: from, endBlock: to, originChainId } = query;
  if (from === undefined && to === undefined) return found;
  const bounds = { ...(from === undefined ? {} : { from }), ...(to === undefined ? {} : { to }) };
  return [...found, { kind: 'blocks', originOnly: originChainId !== undefined, ...bounds }];
}

type Ranged = Extract<SearchCondition, { kind: 'range' }>;

function range(field: Ranged['field'], from: number | undefined, to: number | undefined): Ranged | undefined {
  if (from === undefined && to === undefined) return undefined;
  return { kind: 'range', field, ...(from === undefined ? {} : { from }), ...(to === undefined ? {} : { to }) };
}

/** In the unit of the rows, clamped to what a row can hold. */
function whole(value: number | undefined, unit: number): number | undefined {
  return value === undefined ? undefined : Math.min(Math.round(value * unit), Number.MAX_SAFE_INTEGER);
}

function plus(value: number | undefined, more: number): number | undefined {
  return value === undefined ? undefined : value + more;
}
