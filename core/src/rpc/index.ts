/** For chain adapters over JSON-RPC or REST: clients, failover, error classes. See `docs/plugins/chain.md`. */
export { AddressCalls } from './address-calls.js';
export { isTransportError, RpcError, TransportError, type TransportFailure } from './errors.js';
export { type Head, HeadFeed, type HeadSource, type NamedHead, type Pace } from './head-feed.js';
export { type ExchangeObserver, HttpClient, type HttpClientOptions } from './http-client.js';
export type { HttpExchangeOptions } from './http-exchange.js';
export { Portions } from './portions.js';
export {
  type Connect,
  type Identity,
  type PoolServices,
  type PoolSettings,
  type Provider,
  type ProviderClient,
  type ProviderEndpoint,
  ProviderPool,
  sideOf,
} from './provider-pool.js';
export { type ProviderSettings, Providers, type RestProviderSettings, RestProviders } from './providers.js';
export { RestClient, type RestClientOptions } from './rest-client.js';
export { type Limits, limitsOf, type Side } from './sides.js';
export type { JsonMessage, SubscriptionTopics } from './subscription.js';
export { Turns } from './turns.js';
export { type Quorum, quorumOf, reports, type Testimony, witness } from './witness.js';
