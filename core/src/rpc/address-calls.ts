import type { Metrics } from '../contract/observability.js';
import type { Provider, ProviderClient } from './provider-pool.js';

/**
 * Counts the calls of a chain's watcher of deposit addresses, whose number third parties influence. The provider pool
 * counts them as well.
 */
export class AddressCalls<C extends ProviderClient> {
  readonly #made = new WeakMap<C, Provider<C>>();
  readonly #count: () => void;

  constructor(metrics: Pick<Metrics, 'count'>, chain: number) {
    const help = 'RPC calls of the watcher of deposit addresses';
    this.#count = () => metrics.count('address_calls', help, { chain });
  }

  /** The same provider, and for one client always the same object. */
  of(provider: Provider<C>): Provider<C> {
    const known = this.#made.get(provider.rpc);
    if (known !== undefined) return known;
    const rpc = (provider.rpc.counting?.(this.#count) ?? provider.rpc) as C;
    const counted = { ...provider, rpc, home: provider.home ?? provider };
    this.#made.set(provider.rpc, counted);
    this.#made.set(rpc, counted);
    return counted;
  }
}
