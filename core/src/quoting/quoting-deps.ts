import type { ChainAdapter } from '../contract/chain-adapter.js';
import type { Clock, Random } from '../contract/clock.js';
import type { ChainId } from '../contract/ids.js';
import type { LiquiditySource } from '../contract/liquidity.js';
import type { Logger } from '../contract/observability.js';
import type { Secp256k1Signer } from '../contract/signer.js';
import type { Store } from '../contract/store.js';
import type { ServicePolicy } from '../domain/policy.js';
import type { PriceBook } from '../domain/price-book.js';
import type { Engine } from '../engine/engine.js';
import type { Rehearsal } from '../rehearsal/rehearsal.js';
import type { Screening } from '../screening/screening.js';
import type { FillTimes } from './fill-times.js';
import type { FeeInputs } from './moving-fee.js';
import type { UserBalances } from './user-balances.js';

/** Everything answers from memory, except the write that makes a quote durable. */
export interface QuotingDeps {
  readonly store: Pick<Store, 'apply' | 'ordersByPrefix' | 'requests' | 'unpaidQuotes'>;
  /** Absent: no fees are sponsored. */
  readonly sponsors?: Pick<Store, 'integrator' | 'pot' | 'sponsorPolicy'>;
  readonly chains: ReadonlyMap<ChainId, ChainAdapter>;
  readonly prices: PriceBook;
  readonly liquidity: () => readonly LiquiditySource[];
  readonly engine: Pick<
    Engine,
    'available' | 'earmark' | 'paused' | 'pauseReason' | 'shortOfSpace' | 'unserved' | 'volumeLeft'
  >;
  readonly screening: Screening;
  readonly policy: ServicePolicy;
  /** Its address is the solver of every order. */
  readonly orderSigner: Secp256k1Signer;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Logger;
  /** Absent: time estimates use only the chains' facts. */
  readonly fillTimes?: FillTimes;
  readonly feeInputs?: FeeInputs;
  /** Counts what is asked: quotes are refused, and nothing is promised. Absent: the service serves. */
  readonly rehearsal?: Pick<Rehearsal, 'priced' | 'quoted' | 'refused'>;
  /** Absent: quotes report no balance. */
  readonly balances?: UserBalances;
}
