import type { ChainAdapter } from '../contract/chain-adapter.js';
import type { Clock, Random } from '../contract/clock.js';
import type { ChainId, FundingKey, RequestId, UnixMs } from '../contract/ids.js';
import type { Alerts, Logger, Metrics } from '../contract/observability.js';
import type { Store } from '../contract/store.js';
import type { HoldRow } from '../contract/store-rows.js';
import type { ServicePolicy } from '../domain/policy.js';
import type { PriceBook } from '../domain/price-book.js';
import type { RequestStatus } from '../domain/request-status.js';

export interface EngineDeps {
  readonly store: Store;
  readonly chains: ReadonlyMap<ChainId, ChainAdapter>;
  readonly prices: PriceBook;
  readonly policy: ServicePolicy;
  /** Address of the order signer: names this service in what others sign for it. */
  readonly service: string;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Logger;
  readonly metrics: Metrics;
  readonly alerts: Alerts;
  /** Called once, when the store tells that its database went back: all work has ended, and the process must end, too. */
  readonly onDatabaseWentBack?: () => void;
}

export interface Engine {
  /** The store that it was given, for others of this process: what they learn of a database that went back ends its work. */
  readonly store: Store;
  /**
   * Takes part in the work, or only follows what others do (`work: false`), for a process that quotes.
   *
   * Resumes open work, then watches. Resolves once every lane and watcher runs whose lease this process holds; it
   * never waits for leases that another process holds.
   */
  start(options?: { readonly work: boolean }): Promise<void>;
  /** No send starts after this is called; resolves when what was in flight is recorded. */
  stop(): Promise<void>;
  /** Ledger of reservations for quoting: inventory that a new request could use, smallest unit. From memory. */
  available(chainId: ChainId, currency: string): bigint;
  /** Micro-USD that may still be accepted today; null where no limit is configured. From memory. */
  volumeLeft(): bigint | null;
  /** The database has room for what is promised already, and for no more. From memory. */
  shortOfSpace(): boolean;
  /** Switches in force; quoting refuses what they cover. From memory. */
  paused(originChainId: ChainId, destinationChainId: ChainId): 'all' | 'chain' | 'route' | null;
  /** What the operator said of the switch in force; null where nothing was said. Told to clients. From memory. */
  pauseReason(originChainId: ChainId, destinationChainId: ChainId): string | null;
  /** @param reason told to clients. */
  pause(scope: string, paused: boolean, reason: string | null): Promise<void>;
  /** Double-entry totals against chain balances, per pot, and everything that is not settled. */
  audit(): Promise<AuditReport>;
  /** Gives a request up and owes its deposit back as MANUAL_ADMIN_REFUND. Refused while a fill may still land. */
  refundRequest(id: RequestId): Promise<OperatorOutcome>;
  /**
   * Pays a hold out, whole, under the once-only use of its refund or excess leg.
   *
   * @param to Address on the hold's chain. Default: the recipient fixed when it was owed. Required for the deposit of
   * an order that something else filled, which nobody else may name a recipient for.
   */
  releaseHold(id: string, to?: string): Promise<OperatorOutcome>;
  /** What is held of one transaction, open holds first; at most 20. */
  holdsOf(transactionHash: string): Promise<readonly HoldView[]>;
  /** A hold; with a recipient also what its depositor signs to have it paid there, if it may be claimed. */
  hold(id: string, recipient?: string): Promise<HoldOutcome>;
  /**
   * Pays a hold out, less its gas, to whom its depositor names under a signature (`HoldOutcome`). Only what is held for want of
   * proof of who paid, and only where the chain proves that all of it was the depositor's.
   */
  claimHold(id: string, recipient: string, signature: string): Promise<ClaimOutcome>;
  /** Lets a halted lane sign again once every order that its unknown sends may have filled is accounted for. */
  resumeLane(chainId: ChainId, signer: string): Promise<OperatorOutcome>;
}

/** What a command of an operator came to. Repeating a command never does more than giving it once. */
export type OperatorOutcome =
  | {
      readonly ok: true;
      /** `owed`: now it is. `inProgress`: it was already. `alreadyDone`: nothing is left to do. */
      readonly state: 'owed' | 'alreadyDone' | 'inProgress';
      readonly message: string;
      readonly legId?: string;
    }
  | {
      readonly ok: false;
      readonly code: 'notFound' | 'notSafe' | 'notApplicable' | 'invalid';
      /** Says what to do. */
      readonly message: string;
    };

/** What depositors may know of a hold. */
export interface HoldView
  extends Pick<HoldRow, 'id' | 'transactionHash' | 'chainId' | 'currency' | 'amount' | 'reason' | 'state'> {
  /** Null where nobody was recorded to have paid it. */
  readonly depositor: string | null;
  /** Whether the depositor may claim it, if the chain proves that all of it was theirs. */
  readonly claimable: boolean;
}

type Refusal = Extract<OperatorOutcome, { ok: false }>;

export type HoldOutcome =
  | {
      readonly ok: true;
      readonly hold: HoldView;
      /** What the depositor signs, to the last character; null where it cannot be claimed, or no recipient was named. */
      readonly message: string | null;
    }
  | Refusal;

/** What a claim came to. Repeating it never does more than making it once. */
export type ClaimOutcome =
  | (Extract<OperatorOutcome, { ok: true }> & {
      /** Tells how the payment stands. */
      readonly requestId: RequestId;
    })
  | Refusal
  /** `notSigned`: the signature is none of the depositor under this text. `unavailable`: the chain did not answer; ask again. */
  | { readonly ok: false; readonly code: 'notSigned' | 'unavailable'; readonly message: string };

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
