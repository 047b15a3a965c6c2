import { ApiError, apiError } from '../../errors/api-error.js';
import type { ApiDeps } from '../api.js';
import { readCursor, searchHash, writeCursor } from '../listing/cursor.js';
import { filterOf } from '../listing/filter.js';
import { LISTING_QUERY, type ListingQuery } from '../listing/query.js';
import { requestRecord } from '../record/request-record.js';
import { ok, type Route, route } from '../route.js';
import { REQUEST_PAGE } from '../schemas/request-record.js';

type Deps = Pick<ApiDeps, 'store' | 'chains' | 'policy' | 'orderSigner' | 'options'>;

/** `GET /requests/v3`: a page of request records; the last page has no `continuation`. */
export function requestsRoute(deps: Deps): Route {
  const anonymous = deps.options.anonymousRead === 'by-user-or-id';
  return route<ListingQuery>({
    method: 'GET',
    path: '/requests/v3',
    operationId: 'requestsV3',
    summary: 'Search requests',
    tags: ['Requests'],
    rate: 'requests',
    access: 'open',
    query: LISTING_QUERY,
    answers: { 200: REQUEST_PAGE },
    errors: ['FORBIDDEN'],
    handle: async ({ query, caller }) => {
      const named = query.user !== undefined || query.id !== undefined;
      if (!caller.key && !(anonymous && named)) {
        return apiError('UNAUTHORIZED', anonymous ? 'Without an API key, name a user or an id' : undefined);
      }
      const filter = filterOf(query, deps.chains);
      if (filter instanceof ApiError) return filter;
      const direction = query.sortDirection ?? 'desc';
      const hash = searchHash(filter, direction);
      const after = query.continuation === undefined ? undefined : readCursor(query.continuation, hash);
      if (after instanceof ApiError) return after;
      const page = await deps.store.search({
        filter,
        sortBy: 'createdAt',
        direction,
        ...(after === undefined ? {} : { after }),
        limit: query.limit,
        total: query.includeTotal,
      });
      return ok({
        requests: page.rows.map((view) => requestRecord(view, deps)),
        ...(page.next === undefined ? {} : { continuation: writeCursor(page.next, hash) }),
        ...(query.includeTotal ? { total: page.total ?? 0 } : {}),
      });
    },
  });
}
