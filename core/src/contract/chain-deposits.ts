import type { DepositBatch, DepositObservation, DepositStep, DepositStepsInput, Sighting, Wanted } from './deposits.js';
import type { FundingKey } from './ids.js';
import type { RevertedExecution } from './own-swaps.js';

/** What a currency takes out of each transfer of it. Smallest units; both answers are warm. */
export interface TransferFee {
  /** What at least arrives of a transfer of `sent`: a fee that is about to change counts as the higher one. Never negative. */
  arriving(sent: bigint): bigint;
  /** The least that has to be sent so that at least `arriving` arrives. */
  sentFor(arriving: bigint): bigint;
}

/** How money comes in: what a payer signs, what is seen of it, and what is proven of who paid. */
export interface ChainDeposits {
  /** Ordered unsigned transactions for the payer. Warm: no I/O. */
  depositSteps(input: DepositStepsInput): readonly DepositStep[];
  /** Undefined, or absent: all that is sent in the currency arrives. Warm. */
  transferFee?(currency: string): TransferFee | undefined;
  /** Size of the first of these transactions that is larger than the chain takes; undefined: none is. Warm. */
  oversize?(steps: readonly DepositStep[]): { readonly bytes: number; readonly limit: number } | undefined;
  /**
   * Follows the chain from `cursor` (undefined: from now on). Yields at least on every new head.
   * Ends when `signal` aborts. Provider trouble delays it and shows in `status()`; it does not throw for that.
   *
   * Invariant: however much strangers send to the watched addresses, memory and calls under way stay bounded, a transaction is
   * not read twice while the watcher runs, and a transaction that cannot be read does not delay the others.
   *
   * @param wanted what the watcher looks for; absent: it looks for every transfer alike.
   */
  watchDeposits(cursor: string | undefined, signal: AbortSignal, wanted?: Wanted): AsyncIterable<DepositBatch>;
  /**
   * Asks the watcher to look now. A hint, never a source of truth. Strangers send any number of them: an adapter looks early once
   * in each of its poll intervals, and never beyond what it allows itself of its provider.
   */
  hint(transactionHash: string): void;
  /**
   * The transaction with this hash, where it is in a block, was sent to what users execute orders with, and reverted: the chain
   * tells nothing of it by itself. Undefined for every other. With the capability `ownSwaps` alone. Rejects on infrastructure failure.
   */
  revertedExecution?(transactionHash: string): Promise<RevertedExecution | undefined>;
  /** Blocks that must follow inclusion before a deposit of this value may be acted on; 0 means at once. */
  acceptDepth(valueMicroUsd: bigint): number;
  /**
   * How many providers must report a transfer of this value before it is acted on; 1 where the watched provider alone is
   * believed. Warm.
   */
  quorum(valueMicroUsd: bigint): number;
  /**
   * Asks every provider about transfers, one answer per sighting in the order given. True only if at least `providers`
   * of them tell of the same transfer in the same block, and none of another block there or of another transfer. What
   * is not known is false; the caller asks again.
   */
  witness(sightings: readonly Sighting[]): Promise<readonly boolean[]>;
  /**
   * Whether the chain proves that the depositor of a transfer is the one party that made it, so that what nobody promised
   * anything for may be paid back to it: it signed the transaction and paid its fee, or all that was spent was its own. An
   * account that stands in for many, or that need not exist any more, is no proof. Absent: nobody is proven. Rejects on
   * infrastructure failure.
   */
  paidAlone?(transfer: Pick<DepositObservation, 'transactionHash' | 'depositor'>): Promise<boolean>;

  /**
   * With `ChainFacts.namesDepositors`: whether this transfer names one, as its funding key tells. Absent: each does. Warm.
   */
  namesDepositor?(fundingKey: FundingKey): boolean;

  /**
   * Whether everything that a transfer moved belonged to its depositor, no matter who signed it or paid its fee. If so, the
   * holder of the depositor's key may name the address of the refund. Absent: never known. Rejects on infrastructure failure.
   */
  isOwnMoney?(transfer: Pick<DepositObservation, 'transactionHash' | 'depositor'>): Promise<boolean>;
}
