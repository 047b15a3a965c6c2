import type { SearchCondition } from '../../contract/search.js';
import { ApiError, invalidRequest } from '../../errors/api-error.js';
import { conditionOf, type FieldName, isField } from './fields.js';
import type { Chains } from './spellings.js';

export interface FilterGroup {
  readonly conditions: readonly SearchCondition[];
  readonly names: ReadonlySet<FieldName>;
}

const MAX_GROUPS = 20;
const MAX_VALUES_PER_GROUP = 50;
const NOT = 'not:';

/**
 * `filters` of the listing: an array of groups. Unknown keys are refused: a group without them would match more than
 * was asked for.
 */
export function filterGroups(json: string, chains: Chains): FilterGroup[] | ApiError {
  const parsed = parse(json);
  if (!Array.isArray(parsed)) return invalidRequest('filters', 'must be a JSON array of objects');
  if (parsed.length > MAX_GROUPS) return invalidRequest('filters', `must have at most ${MAX_GROUPS} groups`);
  const groups: FilterGroup[] = [];
  for (const [at, value] of parsed.entries()) {
    const group = groupOf(value, `filters[${at}]`, chains);
    if (group instanceof ApiError) return group;
    groups.push(group);
  }
  return groups;
}

function parse(json: string): unknown {
  try {
    return JSON.parse(json) as unknown;
  } catch {
    return undefined;
  }
}

function groupOf(value: unknown, path: string, chains: Chains): FilterGroup | ApiError {
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    return invalidRequest(path, 'must be an object');
  const conditions: SearchCondition[] = [];
  const names = new Set<FieldName>();
  const entries = Object.entries(value);
  for (const [key, given] of entries) {
    const not = key.startsWith(NOT);
    const field = not ? key.slice(NOT.length) : key;
    const name = `${path}.${key}`;
    if (!isField(field)) return invalidRequest(name, 'is not a field of filters');
    names.add(field);
    // The two sides override `chainId`, as they do outside of filters.
    if (key === 'chainId' && entries.some(([other]) => other === 'originChainId' || other === 'destinationChainId'))
      continue;
    const values = valuesOf(given, name);
    if (values instanceof ApiError) return values;
    const condition = conditionOf(field, values, chains, { name, not });
    if (condition instanceof ApiError) return condition;
    conditions.push(condition);
  }
  return { conditions, names };
}

function valuesOf(given: unknown, name: string): readonly unknown[] | null | ApiError {
  if (given === null) return null;
  if (!Array.isArray(given)) return [given];
  if (given.length === 0) return invalidRequest(name, 'must not be empty');
  if (given.length > MAX_VALUES_PER_GROUP)
    return invalidRequest(name, `must have at most ${MAX_VALUES_PER_GROUP} values`);
  const nulls = given.filter((value) => value === null).length;
  if (nulls === 0) return given;
  return nulls === given.length ? null : invalidRequest(name, 'must not mix null with values');
}
