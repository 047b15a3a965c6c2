import type { ChainId } from '../contract/ids.js';
import type { Custodians } from './custodians.js';
import type { FixedRatePolicy } from './fixed-rate.js';
import type { InventoryTarget } from './inventory-targets.js';
import type { MovingFeePolicy } from './moving-fees.js';
import type { SpreadPolicy } from './spread.js';

export interface RouteFee {
  /** Absent: any. */
  readonly originChainId?: ChainId;
  readonly destinationChainId?: ChainId;
  /** Service fee in basis points of the input. */
  readonly bps: number;
  /** Minimum service fee, micro-USD. */
  readonly floorMicroUsd: bigint;
}

/** The `service` section of the config. Durations in milliseconds. */
export interface ServicePolicy {
  readonly network: 'mainnet' | 'testnet' | 'local';
  /** Name of the solver's chain in orders, which also has the app-fee accounts. */
  readonly solverChain: string;
  /** Order deadline = quote validity + this. */
  readonly orderTtlMs: number;
  /** A deposit not in a block after this, and past its order's deadline, is abandoned. */
  readonly confirmationTimeoutMs: number;
  readonly defaultSlippageBps: number;
  readonly routeFees: readonly RouteFee[];
  readonly movingFees?: MovingFeePolicy;
  readonly limits: {
    /** Largest single request, micro-USD; null: no limit. */
    readonly maxRequestMicroUsd: bigint | null;
    /** Maximum unfinal deposit value per origin chain and currency, micro-USD; null: no limit. */
    readonly maxUnfinalMicroUsd: bigint | null;
    /** Maximum value accepted per UTC day, micro-USD; null: no limit. */
    readonly maxDailyMicroUsd: bigint | null;
    /** Transfers without an order below this are booked but not refunded; micro-USD. */
    readonly dustMicroUsd: bigint;
  };
  readonly spread: SpreadPolicy;
  readonly fixedRate?: FixedRatePolicy;
  /** By chain, symbols or addresses of the currencies that app balances are topped up with, one for a dollar each. Absent: none. */
  readonly balanceCurrencies?: ReadonlyMap<ChainId, readonly string[]>;
  /** What is left of an app balance is low below this; absent: never. */
  readonly lowBalanceMicroUsd?: bigint;
  /** Absent: none. */
  readonly inventoryTargets?: readonly InventoryTarget[];
  readonly swaps: {
    /** A swap with a higher price impact is refused unless the client accepts it; basis points. */
    readonly mostImpactBps: number;
  };
  /** Members of an asset group whose prices differ by more are not exchanged; basis points. */
  readonly mostPartedBps: number;
  readonly mostTopUpMicroUsd: bigint;
  /** Live unpaid quotes per payer and asset pair; null: no limit. */
  readonly mostUnpaidQuotes: number | null;
  /** Deposit addresses for one caller in a UTC day, per process; null: no limit. */
  readonly mostAddressesPerDay: number | null;
  readonly anonymousQuotes: {
    /** Retention past the deadline; then only the tombstone remains. */
    readonly lifeMs: number;
    /** Limit for all such callers together; null: none. */
    readonly most: number | null;
  };
  readonly deliveryLifeMs: number;
  /** No new quotes while the database's disk has less free; 0: no limit. */
  readonly leastFreeBytes: bigint;
  /** Unsolicited transfers from them are not refunded, and those that need a memo get no promise. */
  readonly custodians: Custodians;
  readonly bumpAfterBlocks: number;
  readonly inclusionWindowMs: number;
  /** A fill short of inventory for this long is abandoned if no inventory can arrive. */
  readonly giveUpShortMs: number;
  /** Blocks that include a fill before the request is a success, at least 1. */
  readonly fillConfirmations: number;
  /** Added to the destination's finality when judging whether a fill may be signed. */
  readonly deadlineMarginMs: number;
  readonly withdrawalTtlMs: number;
  readonly collect: { readonly everyMs: number; readonly minMicroUsd: bigint };
  /** Native coin reserve of a lane, in fills; an alert is raised below it. */
  readonly gasReserveFills: number;
  /** A lease not renewed for this long is free to others. Renewed three times as often. */
  readonly leaseTtlMs: number;
  readonly reconcileEveryMs: number;
}
