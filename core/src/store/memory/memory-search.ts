import type { ChainId } from '../../contract/ids.js';
import type { Keyset, Page, RequestSearch, SearchSort } from '../../contract/search.js';
import type { ShownRequest } from '../../contract/store.js';
import type { RequestRow } from '../../contract/store-rows.js';
import { holds } from '../search/matches.js';
import { conjunctions } from '../search/plan.js';
import type { MemoryDatabase } from './memory-database.js';
import { shownOf } from './memory-reads.js';

export function search(database: MemoryDatabase, asked: RequestSearch, hidden: readonly ChainId[]): Page<ShownRequest> {
  const { filter, sortBy, direction, after, limit, total, asOf } = asked;
  const excluded = hidden.filter((chain) => !filter.hiddenChains.includes(chain));
  const transactions = (id: string) => database.indexes.transactionsOfRequest.list(id);
  const sets = conjunctions(filter);
  const matches = [...database.tables.requests.rows()]
    .filter((row) => !excluded.includes(row.originChainId) && !excluded.includes(row.destinationChainId))
    .filter((row) => sets.some((set) => set.every((condition) => holds(condition, row, transactions))));
  const rest = matches
    .filter((row) => asOf === undefined || row.createdAt <= asOf)
    .filter((row) => !after || order(positionOf(row, sortBy), after, direction) > 0)
    .sort((a, b) => order(positionOf(a, sortBy), positionOf(b, sortBy), direction));
  const rows = rest.slice(0, limit);
  const last = rows.at(-1);
  return {
    rows: rows.map((row) => shownOf(database, row)),
    ...(rest.length > limit && last ? { next: positionOf(last, sortBy) } : {}),
    ...(total ? { total: matches.length } : {}),
  };
}

function positionOf(row: RequestRow, sortBy: SearchSort): Keyset {
  return { id: row.id, value: row[sortBy] };
}

function order(a: Keyset, b: Keyset, direction: 'asc' | 'desc'): number {
  const sign = direction === 'asc' ? 1 : -1;
  if ((a.value === null) !== (b.value === null)) return a.value === null ? 1 : -1;
  if (a.value !== null && b.value !== null && a.value !== b.value) return sign * (a.value - b.value);
  return a.id === b.id ? 0 : a.id < b.id ? -sign : sign;
}
