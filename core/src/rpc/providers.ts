import { HttpClient } from './http-client.js';
import { type PoolServices, type PoolSettings, ProviderPool } from './provider-pool.js';
import { RestClient } from './rest-client.js';
import { limitsOf } from './sides.js';

interface Exchanges {
  readonly timeoutMs: number;
  readonly maxInFlight: number;
}

/** Settings of providers that speak JSON-RPC. */
export interface ProviderSettings extends PoolSettings<HttpClient>, Exchanges {
  readonly maxBatch: number;
}

/** Providers that speak JSON-RPC. */
export class Providers extends ProviderPool<HttpClient> {
  constructor(settings: ProviderSettings, services: PoolServices) {
    const { timeoutMs, maxInFlight, maxBatch } = settings;
    const most = { timeoutMs, maxInFlight, maxBatch };
    super(settings, services, ({ side, ...to }) => new HttpClient({ ...to, ...limitsOf(side, most) }));
  }

  /** One call, answered by the first provider that can. @throws RpcError, or TransportError when nobody answered. */
  call<T>(method: string, params: readonly unknown[] = []): Promise<T> {
    return this.run((provider) => provider.rpc.request<T>(method, params));
  }
}

/** Settings of providers that are asked by paths. */
export interface RestProviderSettings extends PoolSettings<RestClient>, Exchanges {}

/** Providers that are asked by paths. */
export class RestProviders extends ProviderPool<RestClient> {
  constructor(settings: RestProviderSettings, services: PoolServices) {
    const { timeoutMs, maxInFlight } = settings;
    const most = { timeoutMs, maxInFlight, maxBatch: 1 };
    super(settings, services, ({ side, ...to }) => new RestClient({ ...to, ...limitsOf(side, most) }));
  }
}
