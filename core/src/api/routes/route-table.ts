import { createUserBalances } from '../../quoting/user-balances.js';
import type { ApiDeps } from '../api.js';
import type { KeyUses } from '../key-uses.js';
import type { Route } from '../route.js';
import type { Streams } from '../sse/streams.js';
import { adminRoutes } from './admin.js';
import { adminBalanceRoutes } from './admin-balances.js';
import { adminKeyRoutes } from './admin-keys.js';
import { adminOverviewRoutes } from './admin-overview.js';
import { appBalanceRoutes } from './app-balance.js';
import { appFeesRoute } from './app-fees.js';
import { authorizeRoute } from './authorize.js';
import { balanceEventsRoute } from './balance-events.js';
import { chainStateRoutes } from './chain-state.js';
import { chainsRoute } from './chains.js';
import { currenciesRoutes } from './currencies.js';
import { depositAddressRoutes } from './deposit-addresses.js';
import { descriptionRoutes } from './description.js';
import { eventsRoute } from './events.js';
import { executeRoute } from './execute.js';
import { fastFillRoute } from './fast-fill.js';
import { feeClaimRoutes } from './fee-claims.js';
import { holdRoutes } from './holds.js';
import { indexRoute, singleRoute } from './index-transaction.js';
import { legacyRequestsRoutes } from './legacy-requests.js';
import { livesRoute } from './lives.js';
import { metricsRoute } from './metrics.js';
import { notServedPaths } from './not-served-paths.js';
import { operatorRoutes } from './operator.js';
import { operatorAddressRoutes } from './operator-addresses.js';
import { operatorBooksRoutes } from './operator-books.js';
import { ownKeyRoutes } from './own-keys.js';
import { permitsRoute } from './permits.js';
import { pluginsRoute } from './plugins.js';
import { quoteRoutes } from './quote.js';
import { rehearsalRoute, withoutPromises } from './rehearsal.js';
import { requestMetadataRoute } from './request-metadata.js';
import { requestSignatureRoutes } from './request-signature.js';
import { requestsRoute } from './requests.js';
import { routeConfigRoute } from './route-config.js';
import { statusRoutes } from './status.js';
import { timelineRoute } from './timeline.js';
import { tokenPriceRoutes } from './token-prices.js';
import { webhookDeliveryRoutes } from './webhook-deliveries.js';
import { webhookEndpointRoutes } from './webhook-endpoints.js';

export interface TableDeps extends ApiDeps {
  readonly keyUses: KeyUses;
}

export function routeTable(deps: TableDeps, streams: Streams): readonly Route[] {
  const { payerBalances } = deps.options;
  const balances = payerBalances && createUserBalances(payerBalances, deps.clock, deps.log);
  const routes = [
    ...quoteRoutes(deps, balances),
    ...statusRoutes(deps),
    requestsRoute(deps),
    ...legacyRequestsRoutes(deps),
    eventsRoute(streams),
    timelineRoute(deps),
    requestMetadataRoute(deps),
    ...requestSignatureRoutes(deps),
    ...holdRoutes(deps),
    ...depositAddressRoutes(deps),
    chainsRoute(deps),
    ...chainStateRoutes(deps),
    ...currenciesRoutes(deps),
    ...tokenPriceRoutes(deps),
    routeConfigRoute(deps, balances),
    indexRoute(deps),
    singleRoute(deps),
    appFeesRoute(deps),
    ...feeClaimRoutes(deps),
    executeRoute(deps),
    fastFillRoute(deps),
    balanceEventsRoute(deps),
    ...appBalanceRoutes(deps),
    ...ownKeyRoutes(deps),
    permitsRoute(deps),
    authorizeRoute(deps),
    ...notServedPaths(),
    livesRoute(deps),
    metricsRoute(deps),
    pluginsRoute(),
    ...adminRoutes(deps),
    ...adminOverviewRoutes(deps),
    ...operatorRoutes(deps),
    ...operatorAddressRoutes(deps),
    ...operatorBooksRoutes(deps),
    ...adminKeyRoutes(deps),
    ...adminBalanceRoutes(deps),
    ...webhookEndpointRoutes(deps),
    rehearsalRoute(deps),
    ...webhookDeliveryRoutes(deps),
  ];
  const served = deps.rehearsal ? withoutPromises(routes) : routes;
  return [...served, ...descriptionRoutes(routes, deps.options.rateLimits)];
}
