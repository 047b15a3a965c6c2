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

/** That a leg goes together with those it was tried with; undefined: it is asked about by itself. */
export type TriedTogether = Extract<LegCheck, { ok: true }> | undefined;

/** How money goes out: lanes that sign under single-use keys, and what became of what they sent. */
export interface ChainPayouts {
  readonly lanes: readonly LaneRef[];
  /** How the single-use keys of its lanes end. */
  readonly keys: LaneKeys;
  /** How several legs go into one transaction; absent where each has its own. */
  readonly batches?: LegBatches;
  /**
   * True while nothing can be prepared at this position of a lane, as before the transaction before it is included:
   * nobody is asked about its legs meanwhile. Absent: never. Warm.
   */
  isBusy?(signer: string, position: string): boolean;
  /** @param asker for quotes: then it takes no place of what money is moved with. Absent: what is owed waits for it. */
  check(leg: LegInstruction, signer: string, asker?: Asker): Promise<LegCheck>;
  /**
   * The same of fills that are to share one transaction, tried as one: the answers in the order given, undefined for each that
   * is not proven to go together with the others, or for all of them, whatever the reason. Only legs that were tried together
   * share a transaction, and a leg that failed or ran out goes alone the next time. Absent: legs are asked about one by one, and
   * all that are due share a transaction.
   */
  checkTogether?(legs: readonly LegInstruction[], signer: string): Promise<readonly TriedTogether[] | undefined>;
  /** Local work only: fees are warm, positions come from the ledger. */
  prepare(input: PrepareInput): Promise<PrepareOutcome>;
  sign(prepared: Prepared, signer: string): Promise<SignedTransaction>;
  /** Never throws: what is not known is `ambiguous`. */
  send(transaction: SignedTransaction): Promise<SendOutcome>;
  /** Same key, higher fee. Absent where a key cannot be reused: where keys end by history, and nowhere else. */
  replace?(input: ReplaceInput): Promise<PrepareOutcome>;
  /** What the chain proves, one answer per key in the order given. */
  look(keys: readonly KeyView[]): Promise<readonly KeyEvidence[]>;
}
