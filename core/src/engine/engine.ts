import type { SweepOutcome } from '../capabilities/deposit-addresses/sweep-now.js';
import type { CallAccepted, CallAsk, CallOutcome } from '../capabilities/gasless/accept-call.js';
import type { PermitAsk, PermitOutcome } from '../capabilities/permits/accept.js';
import type { ChainStatus } from '../contract/chain-state.js';
import type { ChainId, Hex, RequestId, UnixMs } from '../contract/ids.js';
import type { Change, PostingMark, Store } from '../contract/store.js';
import type { FeeBalance, FeePlace } from './app-fees/claimable.js';
import type { FeeClaimAsk, FeeClaimOfferOutcome, FeeClaimOutcome } from './app-fees/outcomes.js';
import type { Earmarking } from './books/earmarks.js';
import type { AuditReport } from './operator/audit-report.js';
import type { InventoryRow } from './operator/inventory-report.js';
import type {
  ClaimOutcome,
  HoldOutcome,
  HoldView,
  OperatorOutcome,
  WithdrawalAsk,
  WithdrawalOutcome,
} from './operator/outcomes.js';
import type { ReportPart } from './report/outcomes.js';
import type { Overview } from './rounds/overview.js';

export interface Engine {
  /** A store for all users of the engine: the first call that notices lost commits of the database ends all work. */
  readonly store: Store;
  /**
   * Resolves once every lane and watcher with a lease here runs; never waits for other processes' leases. `work:
   * false` only follows, for a process that quotes.
   */
  start(options?: { readonly work: boolean }): Promise<void>;
  /** No send starts after this call; resolves when what is in flight is recorded. */
  stop(): Promise<void>;
  /** Inventory for a new request, smallest unit. From memory. */
  available(chainId: ChainId, currency: string): bigint;
  /**
   * Reserves the output of a fixed-rate quote, in one change set with it. A conflict in `pots` names the exceeded
   * counter: lane, key, or all keys.
   */
  earmark(output: Earmarking): readonly Change[];
  /** Holdings of a chain's lanes, reserved or not, smallest unit. From memory. */
  held(chainId: ChainId, currency: string): bigint;
  /** Micro-USD still acceptable today; null for no limit. From memory. */
  volumeLeft(): bigint | null;
  /** The database has space only for existing promises. From memory. */
  shortOfSpace(): boolean;
  /** Pauses in force, which quoting respects. From memory. */
  paused(originChainId: ChainId, destinationChainId: ChainId): 'all' | 'chain' | 'route' | null;
  /**
   * Why a chain with a healthy adapter is not served: deposits behind the head, fees or balances unknown. For
   * operators. From memory.
   */
  unserved(chainId: ChainId): string | null;
  /** The adapter's status, `unserved`, and whether the chain's coin has a price. From memory. */
  chainStatus(chainId: ChainId): ChainStatus;
  /** The operator's reason for the pause, shown to clients; null for none. From memory. */
  pauseReason(originChainId: ChainId, destinationChainId: ChainId): string | null;
  /** @param reason shown to clients. */
  pause(scope: string, paused: boolean, reason: string | null): Promise<void>;
  /** Ledger against chain balances per pot, and all that is unsettled. */
  audit(): Promise<AuditReport>;
  /** Chains with providers, lanes, inventory, queues and limits, for operators. */
  overview(): Promise<Overview>;
  /** Why a request is not settled, in words for operators; null: it is, or there is none. */
  waitsFor(id: RequestId): Promise<string | null>;
  /** Gives a request up and owes its deposit back as MANUAL_ADMIN_REFUND. Refused while a fill may still land. */
  refundRequest(id: RequestId): Promise<OperatorOutcome>;
  /**
   * Pays a whole hold under the once-only use of its refund or excess leg.
   *
   * @param to Address on the hold's chain. Default: the original recipient. Required where something else filled the
   * deposit's order.
   */
  releaseHold(id: string, to?: string, unpaid?: boolean): Promise<OperatorOutcome>;
  /** Holds of one transaction, open ones first; at most 20. */
  holdsOf(transactionHash: string): Promise<readonly HoldView[]>;
  /** With a recipient also the text that its depositor signs, if claimable. */
  hold(id: string, recipient?: string): Promise<HoldOutcome>;
  /**
   * Pays a hold, less gas, to the recipient in its depositor's signed text (`HoldOutcome`). Only holds whose payer is
   * unproven, and only money proven to be the depositor's.
   */
  claimHold(id: string, recipient: string, signature: string): Promise<ClaimOutcome>;
  /** Claimable app fees of a wallet; undefined where unknown. */
  feeBalance(place: FeePlace): Promise<FeeBalance | undefined>;
  /** Writes nothing. */
  offerFees(ask: FeeClaimAsk): Promise<FeeClaimOfferOutcome>;
  /** Idempotent. */
  claimFees(ask: FeeClaimAsk, claimId: Hex, signature: string): Promise<FeeClaimOutcome>;
  /** Accounts that may make a call now, the least busy first. */
  callLanes(chainId: ChainId): Promise<readonly string[]>;
  /**
   * Owes a call for others, paid from the integrator's app balance. Durable when this resolves; made once.
   *
   * @param also changes that belong to the same change set.
   */
  acceptCall(ask: CallAsk, also: (answer: CallAccepted) => readonly Change[]): Promise<CallOutcome>;
  /** Owes the sending of a deposit that its payer signed, as tried before. At most one per quote. */
  acceptPermit(ask: PermitAsk): Promise<PermitOutcome>;
  /** Watches a deposit address again that a restored ledger does not know; what arrived there is held. */
  recoverAddress(chainId: ChainId, requestId: RequestId): Promise<OperatorOutcome>;
  /** Sweeps what waits at a deposit address for cheaper gas. Repeatable: each transfer has one sweep. */
  sweepAddress(chainId: ChainId, address: string): Promise<SweepOutcome>;
  /** How much is not finished; 0: every promise so far is kept. */
  openWork(): Promise<number>;
  /** How many currencies of chains have settled deposits that are still to be collected, dust excepted. */
  uncollected(): Promise<number>;
  /** Per chain and currency, with what may be withdrawn and the targets. */
  inventory(): Promise<readonly InventoryRow[]>;
  /** A part of the books' report of `[from, to)`, after where the part before ended. */
  report(from: UnixMs, to: UnixMs, after?: PostingMark): Promise<ReportPart>;
  /** Pays free inventory to the operator. Idempotent by `ask.id`. */
  withdraw(ask: WithdrawalAsk): Promise<WithdrawalOutcome>;
  /** Once every order that its unknown sends may have filled is accounted for. */
  resumeLane(chainId: ChainId, signer: string): Promise<OperatorOutcome>;
}
