import type { ShownRequest } from '../../contract/store.js';
import { ApiError } from '../../errors/api-error.js';
import type { ApiDeps } from '../api.js';
import { ownData } from '../listing/authenticated.js';
import { holdsNamed } from '../listing/holds-named.js';
import { listRequests } from '../listing/list.js';
import { mayList } from '../listing/may-list.js';
import { LISTING_QUERY, type ListingQuery } from '../listing/query.js';
import { requestRecord } from '../record/request-record.js';
import { type Caller, ok, type Route, route } from '../route.js';
import { REQUEST_PAGE } from '../schemas/request-record.js';

type Deps = Pick<ApiDeps, 'store' | 'chains' | 'policy' | 'orderSigner' | 'clock' | 'options' | 'engine'>;

type Query = Pick<ListingQuery, 'term' | 'continuation'>;

const DESCRIPTION =
  'Every condition that is given must hold. Pages by `createdAt` and `amountUsd` are exact. A walk by `updatedAt` shows ' +
  'requests that existed when it began: upwards it misses none and may show again what changed meanwhile, downwards it ' +
  'may miss what changed meanwhile. A search that would read too much is given up after two seconds with status 503.';

/** Money that arrived outside of all requests is found by the hash of its transaction alone. */
async function heldOf(deps: Deps, { term, continuation }: Query, caller: Caller) {
  if (typeof term !== 'string' || continuation !== undefined) return {};
  const holds = await holdsNamed(deps, term, caller);
  return holds.length === 0 ? {} : { holds };
}

export function requestsRoute(deps: Deps): Route {
  return route<ListingQuery>({
    method: 'GET',
    path: '/requests/v3',
    operationId: 'requestsV3',
    summary: 'Search requests',
    description: DESCRIPTION,
    tags: ['Requests'],
    rate: 'requests',
    scope: 'requests',
    access: 'open',
    query: LISTING_QUERY,
    answers: { 200: REQUEST_PAGE },
    errors: ['FORBIDDEN'],
    handle: async ({ query, caller }) => {
      const refused = mayList(query, caller, deps.options);
      if (refused) return refused;
      const listed = await listRequests(deps, query, caller.key);
      if (listed instanceof ApiError) return listed;
      const own = await ownData(deps.store, query.includeAuthenticatedData ? caller.key : null);
      const { views, ...rest } = listed;
      const notes = await deps.store.clientMetadata(views.map(({ request }) => request.id));
      const said = new Map(notes.map(({ requestId, metadata }) => [requestId, metadata]));
      const record = (view: ShownRequest) => requestRecord(view, deps, said.get(view.request.id));
      const requests = views.map((view) => own(record(view), view.request));
      return ok({ requests, ...rest, ...(await heldOf(deps, query, caller)) });
    },
  });
}
