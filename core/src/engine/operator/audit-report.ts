import type { ChainId, FundingKey, RequestId, UnixMs } from '../../contract/ids.js';
import type { RequestStatus } from '../../domain/request-status.js';

export interface AuditPot {
  readonly account: string;
  readonly ledger: string;
  readonly chain: string | null;
  readonly difference: string | null;
  /** Names what explains a difference; null when it is zero. */
  readonly drift: string | null;
}

/** A request that is not settled, and what it waits for, in words. */
export interface AuditRequest {
  readonly id: RequestId;
  readonly status: RequestStatus;
  readonly since: UnixMs;
  readonly originChainId: ChainId;
  readonly destinationChainId: ChainId;
  readonly why: string;
}

export interface AuditHold {
  readonly id: string;
  readonly requestId: RequestId;
  readonly fundingKey: FundingKey;
  readonly chainId: ChainId;
  readonly currency: string;
  readonly amount: string;
  readonly reason: string;
  readonly createdAt: UnixMs;
}

export interface AuditLane {
  readonly id: string;
  readonly chainId: ChainId;
  readonly signer: string;
  readonly position: string;
  readonly halted: string | null;
  readonly openKeys: number;
}

export interface AuditReport {
  readonly at: number;
  /** To the last unit: every pot holds what the books say, and all accounts of a currency sum to zero. */
  readonly balanced: boolean;
  /**
   * The same, but that pots may hold more: what came from outside and is not booked yet is nobody's loss. False also where a
   * chain did not answer, since then nobody knows.
   */
  readonly covered: boolean;
  /** Sum of all accounts per chain and currency; zero for each when the books balance. */
  readonly sums: readonly { readonly currency: string; readonly sum: string }[];
  readonly pots: readonly AuditPot[];
  readonly unsettled: number;
  readonly openHolds: number;
  /** Oldest first, at most 1,000; `unsettled` counts all. */
  readonly requests: readonly AuditRequest[];
  readonly holds: readonly AuditHold[];
  readonly lanes: readonly AuditLane[];
  /** Work of chains or signers that are not configured: nothing moves it. */
  readonly orphans: readonly { readonly what: string; readonly count: number }[];
}
