import type { ApiDeps } from '../api.js';
import type { Route } from '../route.js';
import { adminRoutes } from './admin.js';
import { adminKeyRoutes } from './admin-keys.js';
import { chainsRoute } from './chains.js';
import { currenciesRoutes } from './currencies.js';
import { descriptionRoutes } from './description.js';
import { indexRoute } from './index-transaction.js';
import { legacyRequestsRoutes } from './legacy-requests.js';
import { livesRoute } from './lives.js';
import { metricsRoute } from './metrics.js';
import { operatorRoutes } from './operator.js';
import { pluginsRoute } from './plugins.js';
import { quoteRoutes } from './quote.js';
import { requestsRoute } from './requests.js';
import { statusRoute } from './status.js';

/** Everything this service answers. */
export function routeTable(deps: ApiDeps): readonly Route[] {
  const routes = [
    ...quoteRoutes(deps),
    statusRoute(deps),
    requestsRoute(deps),
    ...legacyRequestsRoutes(deps),
    chainsRoute(deps),
    ...currenciesRoutes(deps),
    indexRoute(deps),
    livesRoute(deps),
    metricsRoute(deps),
    pluginsRoute(deps),
    ...adminRoutes(deps),
    ...operatorRoutes(deps),
    ...adminKeyRoutes(deps),
  ];
  return [...routes, ...descriptionRoutes(routes)];
}
