import type { RequestId } from '../../contract/ids.js';
import { type Keyset, type RequestFilter, type SearchCondition, SearchTimeoutError } from '../../contract/search.js';
import type { ShownRequest } from '../../contract/store.js';
import type { ApiKeyRow, RequestRow } from '../../contract/store-rows.js';
import { ApiError, apiError } from '../../errors/api-error.js';
import type { ApiDeps } from '../api.js';
import { readCursor, searchHash, writeCursor } from './cursor.js';
import { filterOf } from './filter.js';
import type { ListingQuery } from './query.js';
import { permitted } from './rights.js';
import { unpaidAddresses } from './unpaid-addresses.js';

export interface Listed {
  readonly views: readonly ShownRequest[];
  /** Undefined on the last page. */
  readonly continuation?: string;
  readonly total?: number;
}

/**
 * Maximum characters per page of fields with client-controlled length. A larger page ends early, after at least one
 * record.
 */
const MAX_PAGE_CHARACTERS = 1_500_000;

type Deps = Pick<ApiDeps, 'store' | 'chains' | 'clock'>;

const TOO_SLOW_MESSAGE =
  'The search had to read too much. Name a user, an id, a hash, a key or a rare status, narrow the times or the blocks, ' +
  'or leave out not: and null filters and includeTotal';

export async function listRequests(
  deps: Deps,
  query: ListingQuery,
  caller: ApiKeyRow | null,
): Promise<Listed | ApiError> {
  const asked = filterOf(query, deps.chains);
  if (asked instanceof ApiError) return asked;
  const filter = await permitted(asked, query, caller, deps);
  if (filter instanceof ApiError) return filter;
  const sortBy = query.sortBy ?? 'createdAt';
  const direction = query.sortDirection ?? (sortBy === 'amountUsd' ? 'asc' : 'desc');
  const hash = searchHash({ filter, sortBy, direction });
  const cursor = query.continuation === undefined ? undefined : readCursor(query.continuation, hash);
  if (cursor instanceof ApiError) return cursor;
  const asOf = sortBy === 'updatedAt' ? (cursor?.asOf ?? deps.clock.now()) : undefined;
  const since = asOf === undefined ? {} : { asOf };
  const found = await deps.store
    .search({
      filter: await withChildrenOfUnpaid(filter, deps),
      sortBy,
      direction,
      ...(cursor ? { after: cursor.after } : {}),
      limit: query.limit ?? 20,
      total: query.includeTotal ?? false,
      ...since,
    })
    .catch(tooSlow);
  if (found instanceof ApiError) return found;
  const continues = (after: Keyset) => ({ continuation: writeCursor({ after, ...since }, hash) });
  const unpaid = found.rows.length === 0 && cursor === undefined ? await unpaidAddresses(filter, deps) : [];
  const views = unpaid.length > 0 ? unpaid.map(viewOf) : fitting(found.rows);
  const last = views.at(-1)?.request;
  const next = last && views.length < found.rows.length ? { value: last[sortBy], id: last.id } : found.next;
  return {
    views,
    ...(next === undefined ? {} : continues(next)),
    ...(query.includeTotal ? { total: (found.total ?? 0) + unpaid.length } : {}),
  };
}

function viewOf(request: RequestRow): ShownRequest {
  return { request, deposits: [], legs: [], transactions: [] };
}

function fitting(rows: readonly ShownRequest[]): readonly ShownRequest[] {
  let left = MAX_PAGE_CHARACTERS;
  const end = rows.findIndex(({ request, transactions }, n) => {
    const entries = transactions.reduce((sum, { entry }) => sum + (entry?.length ?? 0), 0);
    left -= entries + (request.failed?.length ?? 0) + (request.details?.length ?? 0);
    return n > 0 && left < 0;
  });
  return end === -1 ? rows : rows.slice(0, end);
}

/** A quote that no deposit funded has no request. Its id finds its children: what its payers sent. */
async function withChildrenOfUnpaid(filter: RequestFilter, { store }: Deps): Promise<RequestFilter> {
  const ids = [...filter.all, ...(filter.anyOf ?? []).flat()].flatMap((one) => idsOf(one) ?? []);
  if (ids.length === 0) return filter;
  const paid = new Set<string>((await store.requests([...new Set(ids)] as RequestId[])).map(({ id }) => id));
  const widened = (one: SearchCondition): SearchCondition => {
    const named = idsOf(one) ?? [];
    const parents = named.filter((id) => !paid.has(id));
    return parents.length > 0 ? { kind: 'family', ids: named, parents } : one;
  };
  const anyOf = filter.anyOf?.map((group) => group.map(widened));
  return { ...filter, all: filter.all.map(widened), ...(anyOf === undefined ? {} : { anyOf }) };
}

function idsOf(one: SearchCondition): readonly string[] | undefined {
  const isNamed = one.kind === 'is' && one.field === 'id' && one.not !== true && one.orMissing !== true;
  return isNamed ? one.values.map(String) : undefined;
}

function tooSlow(error: unknown): ApiError {
  if (error instanceof SearchTimeoutError) return apiError('SERVICE_UNAVAILABLE', TOO_SLOW_MESSAGE);
  throw error;
}
