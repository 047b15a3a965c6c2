import type { AuditAddress } from '../../capabilities/deposit-addresses/audit.js';
import type { AuditBalances } from '../../capabilities/sponsorship/audit.js';
import type { ChainId, FundingKey, RequestId, UnixMs } from '../../contract/ids.js';
import type { RequestStatus } from '../../domain/request-status.js';

export interface AuditPot {
  readonly account: string;
  readonly ledger: string;
  readonly chain: string | null;
  readonly difference: string | null;
  /** Explains a difference; null when it is zero. */
  readonly drift: string | null;
}

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
  readonly transactionHash: string;
  readonly chainId: ChainId;
  readonly currency: string;
  readonly amount: string;
  readonly reason: string;
  /** False: it is in no book, and its release pays no one. A `NOT_IN_A_POT` or `TRANSACTION_NOT_READ` has no request. */
  readonly payable: boolean;
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
  /** Every pot equals the books, and each currency's accounts sum to zero. */
  readonly balanced: boolean;
  /**
   * The same, but unbooked surpluses are allowed. False also where a chain did not answer, where a deposit address has less
   * than the books expect and no sweep explains it, and where an app balance is wrong.
   */
  readonly covered: boolean;
  /** Per chain and currency; zero when balanced. */
  readonly sums: readonly { readonly currency: string; readonly sum: string }[];
  readonly pots: readonly AuditPot[];
  /**
   * Deposit addresses where the books expect money, at most 5,000, those with missing money first. Part of the
   * depositories' pots.
   */
  readonly addresses: readonly AuditAddress[];
  readonly appBalances: AuditBalances;
  readonly unsettled: number;
  readonly openHolds: number;
  /** Oldest first, at most 1,000; `unsettled` counts all. */
  readonly requests: readonly AuditRequest[];
  readonly holds: readonly AuditHold[];
  readonly lanes: readonly AuditLane[];
  /** Stuck work of unconfigured chains or signers. */
  readonly orphans: readonly { readonly what: string; readonly count: number }[];
}
