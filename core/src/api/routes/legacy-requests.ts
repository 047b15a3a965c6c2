import { ApiError } from '../../errors/api-error.js';
import type { ApiDeps } from '../api.js';
import { LEGACY_PARAMETERS, type LegacyQuery, successorQuery } from '../legacy/query.js';
import { legacyRecord } from '../legacy/record.js';
import { createRetirement, RETIREMENT } from '../legacy/retirement.js';
import { ownData } from '../listing/authenticated.js';
import { listRequests } from '../listing/list.js';
import { mayList } from '../listing/may-list.js';
import { requestRecord } from '../record/request-record.js';
import { ok, type Route, route } from '../route.js';
import { LEGACY_LIMITED, LEGACY_PAGE } from '../schemas/legacy-record.js';

type Deps = Pick<ApiDeps, 'store' | 'chains' | 'policy' | 'orderSigner' | 'clock' | 'options'>;

const DESCRIPTION =
  'The older shape of the same list. To move on: ask `/requests/v3` with the same parameters, `hash` excepted, which is ' +
  '`depositTxHash`, `fillTxHash`, `refundTxHash` or `term` there. In records `hash` is `txHash`, a reason that is missing ' +
  'is null instead of `N/A`, `depositAddressType` is `type`, `fees` and `feesUsd` are `data.fees`, `appFees` and ' +
  '`paidAppFees` are `data.appFees`, `metadata` is `data.route`, and `referrer` is in `data` with ' +
  '`includeAuthenticatedData`. The rate is lowered step by step until the sunset; after it every answer is 410.';

const HEADERS = {
  Deprecation: 'Since when this version is deprecated: `@` and Unix seconds (RFC 9745).',
  Sunset: 'When it ends (RFC 8594).',
  Link: 'Relations `deprecation`, `sunset` and `successor-version`.',
};

/** `GET /requests/v2`, and `GET /requests` in the same shape; both share one rate. */
export function legacyRequestsRoutes(deps: Deps): readonly Route[] {
  const retirement = createRetirement(deps.options.retirement ?? RETIREMENT, deps.clock);
  const versions = [
    ['/requests/v2', 'requestsV2', 'Search requests, in the shape of version 2'],
    ['/requests', 'requests', 'Search requests, under the oldest path'],
  ] as const;
  return versions.map(([path, operationId, summary]) =>
    route<LegacyQuery>({
      method: 'GET',
      path,
      operationId,
      summary,
      description: DESCRIPTION,
      tags: ['Requests'],
      deprecated: true,
      rate: 'legacyRequests',
      scope: 'requests',
      access: 'open',
      first: () => ({ headers: retirement.headers, instead: retirement.gone() }),
      limited: retirement.limited,
      query: LEGACY_PARAMETERS,
      answers: { 200: LEGACY_PAGE, 429: LEGACY_LIMITED },
      errors: ['FORBIDDEN', ['NOT_FOUND', 410]],
      headers: HEADERS,
      handle: async ({ query, caller }) => {
        const refused = mayList(query, caller, deps.options);
        if (refused) return refused;
        const listed = await listRequests(deps, successorQuery(query), caller.key);
        if (listed instanceof ApiError) return listed;
        const own = await ownData(deps.store, caller.key);
        const deprecation = retirement.notice();
        const { views, continuation } = listed;
        return ok({
          requests: views.map((view) => legacyRecord(own(requestRecord(view, deps), view.request))),
          ...(continuation === undefined ? {} : { continuation }),
          ...(deprecation ? { deprecation } : {}),
        });
      },
    }),
  );
}
