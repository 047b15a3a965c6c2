import type {
  KeyEvidence,
  KeySpender,
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
  SentSince,
  SignedTransaction,
} from './legs.js';

/** How money goes out: lanes that sign under single-use keys, and what became of what they sent. */
export interface ChainPayouts {
  readonly lanes: readonly LaneRef[];
  /** How several legs go into one transaction; absent where each has its own. */
  readonly batches?: LegBatches;
  /**
   * True while nothing can be prepared at this position of a lane, as before the transaction before it is included:
   * nobody is asked about its legs meanwhile. Absent: never. Warm.
   */
  isBusy?(signer: string, position: string): boolean;
  /**
   * First position of a lane that the ledger has never used, and the chain's own view of a known one: past everything
   * that its signer has on the chain, with `pool` also past what waits in the pool of a provider, where that is told,
   * with `final` past no more than what no reorg takes back. Rejects while all who answer lag behind what was seen
   * before: they count too few. With NotYetError where another moment mends that.
   */
  lanePosition(signer: string, at?: 'pool' | 'final'): Promise<string>;
  /** True when `chain` is past `ledger`: the signer was used by something this ledger does not know (G15). */
  positionAhead(chain: string, ledger: string): boolean;
  /**
   * The single-use keys that lie between two positions, from `ledger` on and before `chain`, in lane order; where keys
   * may be spent in another order than they were signed in, all that something else may have spent, though the ledger
   * knows some of them. Warm.
   */
  keysBetween(signer: string, ledger: string, chain: string): readonly string[];
  /**
   * Everything of a signer that landed since a position of its ledger, the ledger's own included, and whether what was
   * signed up to `start` (a position that the chain was at) may still land. One consistent look. Offered where a key
   * does not exclude what else was signed from the same position, as where messages run out: there a position counts
   * nothing, and `positionAhead`, `keysBetween` and `spenderOf` are not asked. Rejects rather than leave something out.
   */
  sentSince?(signer: string, ledger: string, start: string): Promise<SentSince>;
  /** What spent a key, wherever it came from; undefined while that cannot be told (not spent, no history, no answer). */
  spenderOf(key: string, signer: string): Promise<KeySpender | undefined>;
  check(leg: LegInstruction, signer: string): Promise<LegCheck>;
  /**
   * The same of fills that are to share one transaction, tried as one: the answers in the order given, or undefined where it
   * is not proven that all of them go together, whatever the reason. For chains where one leg that fails takes those beside
   * it along: with it only what was tried together shares a transaction, and what failed or ran out goes alone the next time.
   * Absent: legs are asked about one by one, and whatever is due shares a transaction.
   */
  checkTogether?(
    legs: readonly LegInstruction[],
    signer: string,
  ): Promise<readonly Extract<LegCheck, { ok: true }>[] | undefined>;
  /** Local work only: fees are warm, positions come from the ledger. */
  prepare(input: PrepareInput): Promise<PrepareOutcome>;
  sign(prepared: Prepared, signer: string): Promise<SignedTransaction>;
  /** Never throws: what is not known is `ambiguous`. */
  send(transaction: SignedTransaction): Promise<SendOutcome>;
  /** Same key, higher fee. Absent where a key cannot be reused. */
  replace?(input: ReplaceInput): Promise<PrepareOutcome>;
  /** What the chain proves, one answer per key in the order given. */
  look(keys: readonly KeyView[]): Promise<readonly KeyEvidence[]>;
}
