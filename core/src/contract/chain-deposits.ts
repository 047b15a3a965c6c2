import type { DepositBatch, DepositObservation, DepositStep, DepositStepsInput, Sighting, Wanted } from './deposits.js';
import type { FundingKey } from './ids.js';
import type { RevertedExecution } from './own-swaps.js';

/** Fee that a currency takes out of each transfer. Smallest units; both methods are warm. */
export interface TransferFee {
  /** Least that arrives when `sent` is sent; of a fee about to change, the higher one counts. Never negative. */
  arriving(sent: bigint): bigint;
  /** Least to send so that at least `arriving` arrives. */
  sentFor(arriving: bigint): bigint;
}

/** Incoming money: what a payer signs, what is observed, and what proves the payer. */
export interface ChainDeposits {
  /** Ordered unsigned transactions for the payer. Warm: no I/O. */
  depositSteps(input: DepositStepsInput): readonly DepositStep[];
  /** Undefined or absent: the full amount arrives. Warm. */
  transferFee?(currency: string): TransferFee | undefined;
  /** Size of the first transaction above the chain's size limit; undefined: all fit. Warm. */
  oversize?(steps: readonly DepositStep[]): { readonly bytes: number; readonly limit: number } | undefined;
  /**
   * Follows the chain from `cursor` (undefined: from now on) and yields at least on every new head. Ends when
   * `signal` aborts. Provider failures delay it and show in `status()`; it does not throw for them.
   *
   * Invariant: however much strangers send to the watched addresses, memory and concurrent calls stay bounded, no
   * transaction is read twice while the watcher runs, and an unreadable transaction does not delay the others.
   *
   * @param wanted what to look for first; absent: all transfers alike.
   */
  watchDeposits(cursor: string | undefined, signal: AbortSignal, wanted?: Wanted): AsyncIterable<DepositBatch>;
  /**
   * Asks the watcher to look now. Never a source of truth. Strangers send any number of hints: an adapter looks early
   * at most once per poll interval, within its provider budget.
   */
  hint(transactionHash: string): void;
  /**
   * The transaction, if it is in a block, was sent to the contract that executes users' orders, and reverted;
   * undefined for any other. The chain emits no event for it. Only with `ownSwaps`. Rejects on infrastructure
   * failure.
   */
  revertedExecution?(transactionHash: string): Promise<RevertedExecution | undefined>;
  /** Confirmations that a deposit of this value needs before it is acted on; 0: none. */
  acceptDepth(valueMicroUsd: bigint): number;
  /**
   * Number of providers that must report a transfer of this value before it is acted on; 1: the watched provider
   * suffices. Warm.
   */
  quorum(valueMicroUsd: bigint): number;
  /**
   * Asks every provider about transfers; one answer per sighting, in order. True only if at least `providers` of them
   * report the same transfer in the same block and none reports a different block or transfer. Unknown is false; the
   * caller asks again.
   */
  witness(sightings: readonly Sighting[]): Promise<readonly boolean[]>;
  /**
   * Whether the chain proves that the depositor alone made the transfer, so that an orphan may be refunded to it: it
   * signed the transaction and paid its fee, or owned everything spent. An account that pools many users, or that may
   * no longer exist, is no proof. Absent: never proven. Rejects on infrastructure failure.
   */
  paidAlone?(transfer: Pick<DepositObservation, 'transactionHash' | 'depositor'>): Promise<boolean>;

  /**
   * With `ChainFacts.namesDepositors`: whether the funding key shows that this transfer names a depositor. Absent:
   * all do. Warm.
   */
  namesDepositor?(fundingKey: FundingKey): boolean;

  /**
   * Whether everything the transfer moved belonged to its depositor, whoever signed it or paid its fee. Then the
   * holder of the depositor's key may choose the refund address. Absent: never known. Rejects on infrastructure
   * failure.
   */
  isOwnMoney?(transfer: Pick<DepositObservation, 'transactionHash' | 'depositor'>): Promise<boolean>;
}
