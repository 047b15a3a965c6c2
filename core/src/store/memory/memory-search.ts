import type { ChainId } from '../../contract/ids.js';
import type { Keyset, Page, RequestFilter, RequestSearch } from '../../contract/search.js';
import type { RequestView } from '../../contract/store.js';
import type { RequestRow } from '../../contract/store-rows.js';
import type { MemoryDatabase } from './memory-database.js';
import { viewOf } from './memory-reads.js';

/** Reads through all requests: no service of a simulation has many. */
export function search(
  database: MemoryDatabase,
  { filter, direction, after, limit, total }: RequestSearch,
  hidden: readonly ChainId[],
): Page<RequestView> {
  const sign = direction === 'asc' ? 1 : -1;
  const matches = [...database.tables.requests.rows()]
    .filter((row) => matchesFilter(database, row, filter, hidden))
    .sort((a, b) => sign * order(positionOf(a), positionOf(b)));
  const rest = after ? matches.filter((row) => sign * order(positionOf(row), after) > 0) : matches;
  const rows = rest.slice(0, limit);
  const last = rows.at(-1);
  return {
    rows: rows.map((row) => viewOf(database, row)),
    ...(rest.length > limit && last ? { next: positionOf(last) } : {}),
    ...(total ? { total: matches.length } : {}),
  };
}

function positionOf(row: RequestRow): Keyset {
  return { id: row.id, value: row.createdAt };
}

function order(a: Keyset, b: Keyset): number {
  if (a.value !== b.value) return a.value - b.value;
  return a.id === b.id ? 0 : a.id < b.id ? -1 : 1;
}

function matchesFilter(
  database: MemoryDatabase,
  row: RequestRow,
  filter: RequestFilter,
  hidden: readonly ChainId[],
): boolean {
  const { id, orderId, user, recipient, statuses, originChainId, destinationChainId, chainId, hash } = filter;
  const chains = [row.originChainId, row.destinationChainId];
  return (
    (id === undefined || row.id === id || (filter.includeChildren === true && row.parentRequestId === id)) &&
    (orderId === undefined || row.orderId === orderId) &&
    (user === undefined || row.user === user || row.sender === user) &&
    (recipient === undefined || row.recipient === recipient) &&
    (statuses === undefined || statuses.includes(row.status)) &&
    (originChainId === undefined || row.originChainId === originChainId) &&
    (destinationChainId === undefined || row.destinationChainId === destinationChainId) &&
    (chainId === undefined || chains.includes(chainId)) &&
    (filter.createdFrom === undefined || row.createdAt >= filter.createdFrom) &&
    (filter.createdTo === undefined || row.createdAt <= filter.createdTo) &&
    (hash === undefined || namesHash(database, row, hash)) &&
    !hidden.some((chain) => chains.includes(chain) && !filter.hiddenChains.includes(chain))
  );
}

function namesHash(database: MemoryDatabase, row: RequestRow, hash: NonNullable<RequestFilter['hash']>): boolean {
  return database.indexes.transactionsOfHash
    .list(hash.value)
    .some((found) => found.requestId === row.id && (hash.role === 'any' || found.role === hash.role));
}
