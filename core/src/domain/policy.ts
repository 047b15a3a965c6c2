import type { ChainId } from '../contract/ids.js';
import type { Custodians } from './custodians.js';
import type { FixedRatePolicy } from './fixed-rate.js';
import type { MovingFeePolicy } from './moving-fees.js';
import type { SpreadPolicy } from './spread.js';

/** What the service takes on a route. */
export interface RouteFee {
  /** Absent: any. */
  readonly originChainId?: ChainId;
  readonly destinationChainId?: ChainId;
  /** Service fee in basis points of the input. */
  readonly bps: number;
  /** Least service fee, micro-USD. */
  readonly floorMicroUsd: bigint;
}

/** Operator's choices that quoting and engine share; the `service` section of the config. Durations in milliseconds. */
export interface ServicePolicy {
  readonly network: 'mainnet' | 'testnet' | 'local';
  /** Name of the chain that orders name beside the solver, and whose accounts recipients of app fees are. */
  readonly solverChain: string;
  /** Order deadline = quote validity + this. */
  readonly orderTtlMs: number;
  /** A deposit that is not in a block after this, and past its order's deadline, is given up. */
  readonly confirmationTimeoutMs: number;
  readonly defaultSlippageBps: number;
  /** First match wins; the last entry matches everything. */
  readonly routeFees: readonly RouteFee[];
  /** Absent: fees are what routes say. */
  readonly movingFees?: MovingFeePolicy;
  readonly limits: {
    /** Largest single request, micro-USD; null for none. */
    readonly maxRequestMicroUsd: bigint | null;
    /** Most unfinal deposit value acted upon per origin chain and currency, micro-USD; null for none. */
    readonly maxUnfinalMicroUsd: bigint | null;
    /** Most value accepted per UTC day, micro-USD; null for none. */
    readonly maxDailyMicroUsd: bigint | null;
    /** Transfers that nothing was promised for are only counted below this, and nobody is paid back; micro-USD. */
    readonly dustMicroUsd: bigint;
  };
  /** What is taken for the risk of a price, by kind of asset. */
  readonly spread: SpreadPolicy;
  /** Absent: no rates are fixed. */
  readonly fixedRate?: FixedRatePolicy;
  readonly swaps: {
    /** A swap that loses more to the market's price is refused unless the client accepts it; hundredths of a per cent. */
    readonly mostImpactBps: number;
  };
  /** Members of an asset group whose prices part by more, hundredths of a per cent, are not exchanged. */
  readonly mostPartedBps: number;
  /** Most native coin that may go beside an output, micro-USD. */
  readonly mostTopUpMicroUsd: bigint;
  /** Live quotes that one payer may leave unpaid for a pair of two assets; null for no bound. */
  readonly mostUnpaidQuotes: number | null;
  /** Unpaid quotes of callers without a key. */
  readonly anonymousQuotes: {
    /** Time past the deadline for which a quote is kept whole; afterwards only its refund address is kept. */
    readonly lifeMs: number;
    /** So many of all such callers together; beyond, only callers with a key are quoted. Null for no bound. */
    readonly most: number | null;
  };
  /** How long it is kept what an endpoint was told, once it was taken or given up. */
  readonly deliveryLifeMs: number;
  /** Less than this free on the disk of the database, and no new quotes are given; 0: whatever is free. */
  readonly leastFreeBytes: bigint;
  /** What comes from them unasked is not paid back to them, and nothing is promised to those who need a memo. */
  readonly custodians: Custodians;
  /** A stuck attempt is replaced after this many blocks without inclusion. */
  readonly bumpAfterBlocks: number;
  /** Without inclusion for this long, its key is closed with a no-op. */
  readonly inclusionWindowMs: number;
  /** A fill that is short of inventory for so long is given up where nothing can come. */
  readonly giveUpShortMs: number;
  /** Blocks that include a fill before the request is a success, at least 1. */
  readonly fillConfirmations: number;
  /** Added to the destination's finality when judging whether a fill may still be signed. */
  readonly deadlineMarginMs: number;
  /** How long a signed withdrawal from the depository stays valid. */
  readonly withdrawalTtlMs: number;
  readonly collect: { readonly everyMs: number; readonly minMicroUsd: bigint };
  /** Native coin a lane keeps for gas, in fills it must still be able to pay for; below it an alert is raised. */
  readonly gasReserveFills: number;
  /** A lease that its holder does not renew for this long is free to others. Renewed three times as often. */
  readonly leaseTtlMs: number;
  readonly reconcileEveryMs: number;
}
