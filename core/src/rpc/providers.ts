import { HttpClient } from './http-client.js';
import { type PoolServices, type PoolSettings, ProviderPool } from './provider-pool.js';
import { RestClient } from './rest-client.js';
import { limitsOf } from './sides.js';

interface Exchanges {
  readonly timeoutMs: number;
  readonly maxInFlight: number;
}

export interface ProviderSettings extends PoolSettings<HttpClient>, Exchanges {
  readonly maxBatch: number;
}

export class Providers extends ProviderPool<HttpClient> {
  constructor(settings: ProviderSettings, services: PoolServices) {
    const { timeoutMs, maxInFlight, maxBatch } = settings;
    const most = { timeoutMs, maxInFlight, maxBatch };
    super(settings, services, ({ side, ...to }) => new HttpClient({ ...to, ...limitsOf(side, most) }));
  }

  /** Answered by the first provider that can. @throws RpcError, or TransportError when none answered. */
  call<T>(method: string, params: readonly unknown[] = []): Promise<T> {
    return this.run((provider) => provider.rpc.request<T>(method, params));
  }
}

export interface RestProviderSettings extends PoolSettings<RestClient>, Exchanges {}

export class RestProviders extends ProviderPool<RestClient> {
  constructor(settings: RestProviderSettings, services: PoolServices) {
    const { timeoutMs, maxInFlight } = settings;
    const most = { timeoutMs, maxInFlight, maxBatch: 1 };
    super(settings, services, ({ side, ...to }) => new RestClient({ ...to, ...limitsOf(side, most) }));
  }
}
