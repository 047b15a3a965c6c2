import type { DepositBatch, DepositObservation, DepositStep, DepositStepsInput, Sighting, Wanted } from './deposits.js';
import type { FundingKey } from './ids.js';
import type { RevertedExecution } from './payer-swaps.js';

/** Fee that a currency takes out of each transfer. Smallest units; no I/O in either method. */
export interface TransferFee {
  /** Minimum that arrives of `sent`, at the higher fee if one is about to change. Never negative. */
  arriving(sent: bigint): bigint;
  sentFor(arriving: bigint): bigint;
}

export interface ChainDeposits {
  /** Ordered unsigned transactions for the payer. No I/O. */
  depositSteps(input: DepositStepsInput): readonly DepositStep[];
  /** Undefined or absent: the full amount arrives. No I/O. */
  transferFee?(currency: string): TransferFee | undefined;
  /** Size of the first transaction above the chain's limit; undefined: all fit. No I/O. */
  oversize?(steps: readonly DepositStep[]): { readonly bytes: number; readonly limit: number } | undefined;
  /**
   * Yields at least on every new head from `cursor` (undefined: now) until `signal` aborts. Provider failures delay it
   * and show in `status()`; it does not throw for them.
   *
   * Invariant: however much third parties send to the watched addresses, memory and concurrent calls stay bounded, no
   * transaction is read twice while the watcher runs, and an unreadable transaction does not delay the others.
   *
   * @param wanted what to look for first; absent: all transfers alike.
   */
  watchDeposits(cursor: string | undefined, signal: AbortSignal, wanted?: Wanted): AsyncIterable<DepositBatch>;
  /**
   * Asks the watcher to look now. Third parties send any number: an adapter looks early at most once per poll interval,
   * within its provider budget.
   */
  hint(transactionHash: string): void;
  /**
   * The transaction if it is included, was sent to the contract for own executions, and reverted (no event exists
   * then); else undefined. Only with `payerSwaps`. Rejects on infrastructure failure.
   */
  revertedExecution?(transactionHash: string): Promise<RevertedExecution | undefined>;
  /** Confirmations required for a deposit of this value; 0: none. */
  acceptDepth(valueMicroUsd: bigint): number;
  /** Providers that must report a transfer of this value; 1: the watched one suffices. No I/O. */
  quorum(valueMicroUsd: bigint): number;
  /**
   * Asks every provider; answers in order. True only if at least `providers` report the same transfer in the same
   * block and none contradicts. Unknown is false; the caller asks again.
   */
  witness(sightings: readonly Sighting[]): Promise<readonly boolean[]>;
  /**
   * Whether the depositor provably made the transfer alone, so that an orphan may be refunded to it: it signed and
   * paid the fee, or owned everything spent. No proof: pooled or possibly deleted accounts. Absent: never proven.
   * Rejects on infrastructure failure.
   */
  paidAlone?(transfer: Pick<DepositObservation, 'transactionHash' | 'depositor'>): Promise<boolean>;

  /** With `ChainFacts.namesDepositors`: whether this transfer names a depositor. Absent: all do. No I/O. */
  namesDepositor?(fundingKey: FundingKey): boolean;

  /**
   * Whether everything moved belonged to the depositor, regardless of signer and fee payer. Then its key may choose the
   * refund address. Absent: never known. Rejects on infrastructure failure.
   */
  isDepositorsMoney?(transfer: Pick<DepositObservation, 'transactionHash' | 'depositor'>): Promise<boolean>;
}
