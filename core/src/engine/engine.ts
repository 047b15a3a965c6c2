import type { ChainAdapter } from '../contract/chain-adapter.js';
import type { Clock, Random } from '../contract/clock.js';
import type { ChainId } from '../contract/ids.js';
import type { Alerts, Logger, Metrics } from '../contract/observability.js';
import type { Store } from '../contract/store.js';
import type { ServicePolicy } from '../domain/policy.js';
import type { PriceBook } from '../domain/price-book.js';

export interface EngineDeps {
  readonly store: Store;
  readonly chains: ReadonlyMap<ChainId, ChainAdapter>;
  readonly prices: PriceBook;
  readonly policy: ServicePolicy;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Logger;
  readonly metrics: Metrics;
  readonly alerts: Alerts;
}

export interface Engine {
  /** Resumes open work, then watches. Resolves once every lane and watcher runs. */
  start(): Promise<void>;
  /** No send starts after this is called; resolves when what was in flight is recorded. */
  stop(): Promise<void>;
  /** Ledger of reservations for quoting: inventory that a new request could use, smallest unit. From memory. */
  available(chainId: ChainId, currency: string): bigint;
  /** Switches in force; quoting refuses what they cover. From memory. */
  paused(originChainId: ChainId, destinationChainId: ChainId): 'all' | 'chain' | 'route' | null;
  pause(scope: string, paused: boolean, reason: string | null): Promise<void>;
  /** Double-entry totals against chain balances, per pot. */
  audit(): Promise<AuditReport>;
}

export interface AuditPot {
  readonly account: string;
  readonly ledger: string;
  readonly chain: string | null;
  readonly difference: string | null;
  /** Names what explains a difference; null when it is zero. */
  readonly drift: string | null;
}

export interface AuditReport {
  readonly at: number;
  readonly balanced: boolean;
  /** Sum of all accounts per chain and currency; zero for each when the books balance. */
  readonly sums: readonly { readonly currency: string; readonly sum: string }[];
  readonly pots: readonly AuditPot[];
  readonly unsettled: number;
  readonly openHolds: number;
}
