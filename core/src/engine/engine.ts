import type { ChainStatus } from '../contract/chain-state.js';
import type { ChainId, Hex, RequestId } from '../contract/ids.js';
import type { Change, Store } from '../contract/store.js';
import type { FeeBalance, FeePlace } from './app-fees/claimable.js';
import type { FeeClaimAsk, FeeClaimOfferOutcome, FeeClaimOutcome } from './app-fees/outcomes.js';
import type { Earmarking } from './books/earmarks.js';
import type { AuditReport } from './operator/audit-report.js';
import type { ClaimOutcome, HoldOutcome, HoldView, OperatorOutcome } from './operator/outcomes.js';

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
  /**
   * What reserves the output of a quote with a fixed rate, to be written in one change set with the quote. A conflict in `pots`
   * names the counter whose bound it would cross: of the lane, of the key, or of all keys.
   */
  earmark(output: Earmarking): readonly Change[];
  /** What the lanes of a chain hold of a currency, promised to others or not, smallest unit. From memory. */
  held(chainId: ChainId, currency: string): bigint;
  /** Micro-USD that may still be accepted today; null where no limit is configured. From memory. */
  volumeLeft(): bigint | null;
  /** The database has room for what is promised already, and for no more. From memory. */
  shortOfSpace(): boolean;
  /** Switches in force; quoting refuses what they cover. From memory. */
  paused(originChainId: ChainId, destinationChainId: ChainId): 'all' | 'chain' | 'route' | null;
  /**
   * Why a chain cannot be served though its adapter is well: its deposits are not read up to its head, its fees or balances are not
   * known. For operators; null where it can. From memory.
   */
  unserved(chainId: ChainId): string | null;
  /** What the adapter says of its chain, with what `unserved` says and whether the chain's coin has a price. From memory. */
  chainStatus(chainId: ChainId): ChainStatus;
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
  /** What of the app fees that are owed to a wallet in a currency can be claimed; undefined where that cannot be determined. */
  feeBalance(place: FeePlace): Promise<FeeBalance | undefined>;
  /** What a wallet that is owed app fees would sign to have them paid out, and get. Leaves nothing behind. */
  offerFees(ask: FeeClaimAsk): Promise<FeeClaimOfferOutcome>;
  /** Owes the payout of app fees whose wallet signed for it. The same again does nothing more. */
  claimFees(ask: FeeClaimAsk, claimId: Hex, signature: string): Promise<FeeClaimOutcome>;
  /** Lets a halted lane sign again once every order that its unknown sends may have filled is accounted for. */
  resumeLane(chainId: ChainId, signer: string): Promise<OperatorOutcome>;
}
