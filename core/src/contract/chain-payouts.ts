import type { Asker } from './chain-costs.js';
import type { LaneKeys } from './lane-keys.js';
import type {
  KeyEvidence,
  KeyView,
  LaneRef,
  LegBatches,
  LegCheck,
  LegInstruction,
  Prepared,
  PrepareInput,
  PrepareOutcome,
  ReplaceInput,
  SendOutcome,
  SignedTransaction,
} from './legs.js';

/** Result of checking a leg together with others; undefined: check it alone. */
export type TriedTogether = Extract<LegCheck, { ok: true }> | undefined;

/** Outgoing money: lanes that sign under single-use keys, and the outcome of what they sent. */
export interface ChainPayouts {
  readonly lanes: readonly LaneRef[];
  readonly keys: LaneKeys;
  /** Several legs per transaction; absent: one each. */
  readonly batches?: LegBatches;
  /**
   * True while nothing can be prepared at this position, for example until the previous transaction is included; its
   * legs are not checked meanwhile. Absent: never. Warm.
   */
  isBusy?(signer: string, position: string): boolean;
  /**
   * @param asker set for quotes, which then use none of the capacity of payments. Absent: a payment that is owed
   * waits for it.
   */
  check(leg: LegInstruction, signer: string, asker?: Asker): Promise<LegCheck>;
  /**
   * Checks fills that are to share one transaction, simulated as one. Answers in order; undefined for each, or for
   * all, not proven to work together. Only legs checked together share a transaction, and a leg that failed or
   * expired goes alone the next time. Absent: legs are checked singly and all that are due share a transaction.
   */
  checkTogether?(legs: readonly LegInstruction[], signer: string): Promise<readonly TriedTogether[] | undefined>;
  /** Local work only: fees are warm, positions come from the ledger. */
  prepare(input: PrepareInput): Promise<PrepareOutcome>;
  sign(prepared: Prepared, signer: string): Promise<SignedTransaction>;
  /** Never throws: an unknown outcome is `ambiguous`. */
  send(transaction: SignedTransaction): Promise<SendOutcome>;
  /** Same key, higher fee. Present exactly where keys end by position. */
  replace?(input: ReplaceInput): Promise<PrepareOutcome>;
  /** What the chain proves, one answer per key, in order. */
  look(keys: readonly KeyView[]): Promise<readonly KeyEvidence[]>;
}
