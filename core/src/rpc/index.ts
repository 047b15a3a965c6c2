/** For adapters of chains that speak JSON-RPC: one client, failover between providers, errors told apart. */
export { isTransportError, RpcError, TransportError, type TransportFailure } from './errors.js';
export { type Head, HeadFeed, type HeadSource, type NamedHead, type Pace } from './head-feed.js';
export { HttpClient, type HttpClientOptions } from './http-client.js';
export { type Identity, type Provider, type ProviderEndpoint, type ProviderSettings, Providers } from './providers.js';
export type { JsonMessage, SubscriptionTopics } from './subscription.js';
export { type Quorum, quorumOf, type Testimony, tells, witness } from './witness.js';
