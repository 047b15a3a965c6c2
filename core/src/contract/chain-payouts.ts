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

/** Undefined: check the leg alone. */
export type TriedTogether = Extract<LegCheck, { ok: true }> | undefined;

export interface ChainPayouts {
  readonly lanes: readonly LaneRef[];
  readonly keys: LaneKeys;
  readonly batches?: LegBatches;
  /** True while nothing can be prepared at this position; its legs are then not checked. Absent: never. No I/O. */
  isBusy?(signer: string, position: string): boolean;
  /** @param asker set for quotes, which use none of the payments' capacity; absent for payments that are owed. */
  check(leg: LegInstruction, signer: string, asker?: Asker): Promise<LegCheck>;
  /**
   * Simulates fills as one transaction; answers in order, undefined for each not proven to work together. Only legs
   * checked together share a transaction; one that failed or expired goes alone next. Absent: all due legs share a
   * transaction.
   */
  checkTogether?(legs: readonly LegInstruction[], signer: string): Promise<readonly TriedTogether[] | undefined>;
  /** Local work only: fees are cached, positions come from the ledger. */
  prepare(input: PrepareInput): Promise<PrepareOutcome>;
  /** @throws NotSignedError where the signer gives nothing usable now. */
  sign(prepared: Prepared, signer: string): Promise<SignedTransaction>;
  /** Never throws: an unknown outcome is `ambiguous`. */
  send(transaction: SignedTransaction): Promise<SendOutcome>;
  /** Same key, higher fee. Present exactly where keys end by position. */
  replace?(input: ReplaceInput): Promise<PrepareOutcome>;
  /** What the chain proves: one answer per key, in order. */
  look(keys: readonly KeyView[]): Promise<readonly KeyEvidence[]>;
}
