import type { Requote } from '../../capabilities/deposit-addresses/requote.js';
import type { NoticeEndpoints } from '../../capabilities/sponsorship/notice-endpoints.js';
import type { ChainAdapter } from '../../contract/chain-adapter.js';
import type { Clock, Random } from '../../contract/clock.js';
import type { ChainId } from '../../contract/ids.js';
import type { LiquiditySource } from '../../contract/liquidity.js';
import type { Alerts, Logger, Metrics } from '../../contract/observability.js';
import type { Store } from '../../contract/store.js';
import type { ServicePolicy } from '../../domain/policy.js';
import type { PriceBook } from '../../domain/price-book.js';
import type { Screening } from '../../screening/screening.js';

export interface EngineDeps {
  readonly store: Store;
  readonly chains: ReadonlyMap<ChainId, ChainAdapter>;
  readonly prices: PriceBook;
  readonly liquidity: () => readonly LiquiditySource[];
  readonly screening: Screening;
  readonly policy: ServicePolicy;
  /** Address of the order signer; names this service in texts that others sign. */
  readonly service: string;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Logger;
  readonly metrics: Metrics;
  readonly alerts: Alerts;
  /** Gives no new quotes: what was promised is finished. */
  readonly draining?: boolean;
  /** Only prices: nothing is watched, promised or paid, and inventory is without limit. */
  readonly rehearsing?: boolean;
  /** Prices transfers to open deposit addresses. Absent: they wait. */
  readonly requote?: Requote;
  /** Webhook endpoints of integrators. Absent: they get no notices of their balances. */
  readonly endpoints?: NoticeEndpoints;
  /** Called once when the database lost commits: work has ended, and the process must end too. */
  readonly onDatabaseWentBack?: () => void;
}
