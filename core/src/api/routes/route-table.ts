import { createUserBalances } from '../../quoting/user-balances.js';
import type { ApiDeps } from '../api.js';
import type { Route } from '../route.js';
import type { Streams } from '../sse/streams.js';
import { adminRoutes } from './admin.js';
import { adminBalanceRoutes } from './admin-balances.js';
import { adminKeyRoutes } from './admin-keys.js';
import { appBalanceRoutes } from './app-balance.js';
import { appFeesRoute } from './app-fees.js';
import { balanceEventsRoute } from './balance-events.js';
import { chainStateRoutes } from './chain-state.js';
import { chainsRoute } from './chains.js';
import { currenciesRoutes } from './currencies.js';
import { depositAddressRoutes } from './deposit-addresses.js';
import { descriptionRoutes } from './description.js';
import { eventsRoute } from './events.js';
import { executeRoute } from './execute.js';
import { feeClaimRoutes } from './fee-claims.js';
import { holdRoutes } from './holds.js';
import { indexRoute, singleRoute } from './index-transaction.js';
import { legacyRequestsRoutes } from './legacy-requests.js';
import { livesRoute } from './lives.js';
import { metricsRoute } from './metrics.js';
import { notServedRoutes } from './not-served.js';
import { notServedPaths } from './not-served-paths.js';
import { operatorRoutes } from './operator.js';
import { operatorAddressRoutes } from './operator-addresses.js';
import { permitsRoute } from './permits.js';
import { pluginsRoute } from './plugins.js';
import { quoteRoutes } from './quote.js';
import { requestMetadataRoute } from './request-metadata.js';
import { requestSignatureRoutes } from './request-signature.js';
import { requestsRoute } from './requests.js';
import { routeConfigRoute } from './route-config.js';
import { statusRoutes } from './status.js';
import { tokenPriceRoutes } from './token-prices.js';
import { webhookDeliveryRoutes } from './webhook-deliveries.js';
import { webhookEndpointRoutes } from './webhook-endpoints.js';

export function routeTable(deps: ApiDeps, streams: Streams): readonly Route[] {
  const { payerBalances } = deps.options;
  const balances = payerBalances && createUserBalances(payerBalances, deps.clock, deps.log);
  const routes = [
    ...quoteRoutes(deps, balances),
    ...statusRoutes(deps),
    requestsRoute(deps),
    ...legacyRequestsRoutes(deps),
    eventsRoute(streams),
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
    balanceEventsRoute(deps),
    ...appBalanceRoutes(deps),
    permitsRoute(deps),
    ...notServedRoutes(),
    ...notServedPaths(),
    livesRoute(deps),
    metricsRoute(deps),
    pluginsRoute(deps),
    ...adminRoutes(deps),
    ...operatorRoutes(deps),
    ...operatorAddressRoutes(deps),
    ...adminKeyRoutes(deps),
    ...adminBalanceRoutes(deps),
    ...webhookEndpointRoutes(deps),
    ...webhookDeliveryRoutes(deps),
  ];
  return [...routes, ...descriptionRoutes(routes, deps.options.rateLimits)];
}
