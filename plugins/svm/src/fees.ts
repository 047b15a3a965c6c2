import type { Clock, Logger, UnixMs } from '@causeway/core';
import { isTransportError, type Provider, type Providers, RpcError } from '@causeway/core/rpc';
import type { Head } from './watch/heads.js';

export interface FeeRules {
  /** Micro-lamports per compute unit. */
  readonly minPrice: bigint;
  readonly maxPrice: bigint;
  /** Share of recent slots that were cheaper than the offer, 0 to 100. */
  readonly percentile: number;
  readonly maxAgeMs: number;
}

interface RawFee {
  readonly slot: number;
  readonly prioritizationFee: number;
}

const REFRESH_INTERVAL_MS = 2_000;

/** Recent fees for the accounts that the solver writes to. A slot without a paying transaction counts as zero. */
export class PriorityFees {
  readonly #rules: FeeRules;
  readonly #accounts: readonly string[];
  readonly #providers: Pick<Providers, 'read' | 'unread'> | undefined;
  readonly #clock: Clock;
  readonly #log: Logger;
  #price: bigint;
  #at: UnixMs | undefined;
  #readAt = Number.NEGATIVE_INFINITY;

  constructor(
    rules: FeeRules,
    accounts: readonly string[],
    services: { clock: Clock; log: Logger },
    providers?: Pick<Providers, 'read' | 'unread'>,
  ) {
    this.#providers = providers;
    this.#rules = rules;
    this.#accounts = accounts;
    this.#clock = services.clock;
    this.#log = services.log;
    this.#price = rules.minPrice;
  }

  /** Micro-lamports per compute unit; undefined without a recent sample. No I/O. */
  price(): { readonly value: bigint; readonly at: UnixMs } | undefined {
    const at = this.#at;
    if (at === undefined || this.#clock.now() - at > this.#rules.maxAgeMs) return undefined;
    return { value: this.#price, at };
  }

  onHead({ provider }: Head): void {
    if (this.#clock.monotonic() - this.#readAt < REFRESH_INTERVAL_MS) return;
    this.#readAt = this.#clock.monotonic();
    void this.refresh(provider);
  }

  /** Never rejects: an old price shows its age. */
  async refresh(provider: Provider): Promise<void> {
    try {
      const samples = await provider.rpc.request<readonly RawFee[]>('getRecentPrioritizationFees', [this.#accounts]);
      this.#price = this.#within(samples.map(({ prioritizationFee }) => BigInt(prioritizationFee)));
      this.#at = this.#clock.now();
      this.#providers?.read('fees', provider);
    } catch (error) {
      if (!isTransportError(error) && !(error instanceof RpcError)) throw error;
      this.#providers?.unread('fees', provider, error);
      this.#log.debug({ error: error.message }, 'recent priority fees not available');
    }
  }

  #within(samples: readonly bigint[]): bigint {
    const { minPrice, maxPrice, percentile } = this.#rules;
    const sorted = [...samples].sort((a, b) => (a < b ? -1 : 1));
    const at = Math.min(sorted.length - 1, Math.floor((sorted.length * percentile) / 100));
    const taken = sorted[at] ?? 0n;
    if (taken < minPrice) return minPrice;
    return taken > maxPrice ? maxPrice : taken;
  }
}
