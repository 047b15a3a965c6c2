import type { ChainAdapter } from '../../contract/chain-adapter.js';
import type { ChainId, OrderId, UnixMs } from '../../contract/ids.js';
import type { KeyEvidence, LegCheck, LegInstruction, LegPaid } from '../../contract/legs.js';
import type { Party } from '../../contract/screening.js';
import type { OpenKey } from '../../contract/store.js';
import type { DepositRow, LegRow, OwedKind, RequestRow } from '../../contract/store-rows.js';
import type { MovementLines } from '../../domain/postings.js';
import type { FailReason } from '../../errors/fail-reasons.js';
import type { UnitOfWork } from './unit-of-work.js';

type Spent = Extract<KeyEvidence, { state: 'spent' }>;
export type Refused = Extract<LegCheck, { ok: false }>;

/**
 * All that the engine does for one kind of leg and not for another, each kind in a file of its own (`engine/kinds`). The rooms
 * of the engine ask the leg's rules and never compare its kind; what is true of a kind wherever it is read is in its
 * `LegFacts`.
 *
 * @typeParam C what every part of an engine shares. @typeParam W the same for a round of leased work (context.ts).
 */
export interface LegRulesFor<C, W extends C> {
  /** What the adapter is asked to do for it, with the amount that goes out now. @throws for a leg that lacks what it takes. */
  instruction(context: C, chain: ChainAdapter, leg: LegRow): LegInstruction;
  /**
   * The same with all that is needed to send it, whether for the first time or in a replacement; or why it cannot be sent.
   * `known`: the leg's request, where the caller has read it already.
   */
  toSend(context: C, leg: LegRow, whole: LegInstruction, known?: RequestRow): Promise<LegInstruction | Refused>;
  /** The books of one movement: which pot paid, and what of the deposit that settles. */
  readonly lines: MovementLines;

  /** What goes out for a leg that is due; null when it is not its turn, and then the unit of work says why. */
  judge(context: W, unit: UnitOfWork, turn: Turn): Due | null;
  /** Why paying it may be the second payment, given what a lost part of this ledger may have done. */
  doubt(context: C, lost: LostSends, leg: LegRow, request: RequestRow | undefined, deposit?: DepositRow): Doubt;
  /** Ids that a lost part of this ledger may have filled instead of paying this leg; empty where that is no question. */
  rivals(leg: LegRow): readonly OrderId[];
  /** The refusal of a leg that a transaction made which this ledger does not know. */
  readonly done: Refused;
  /** The answer of the other side's chain to `ask`: why the leg may not go out; undefined where it may. */
  askOther(context: W, leg: LegRow, request: RequestRow | undefined): Promise<Refused | undefined>;
  /** Whether the chain refuses it because its once-only use is spent. */
  isSpent(refused: Refused): boolean;
  /** Whether to ask the chain again after a refusal: where not, a refusal is the end of it. */
  readonly isTriedAgain: boolean;
  /** The chain proves that it cannot be executed. */
  onRefused(context: W, unit: UnitOfWork, leg: LegRow, refused: Refused): void;
  /** Whom it is paid for, besides those whom its request and its deposit name. */
  readonly otherParties?: (context: C, leg: LegRow) => readonly Party[];
  /** A screener blocks one of its parties: its value is held, or stays owed where it came from. Nothing of it is signed. */
  onBlocked(context: W, unit: UnitOfWork, leg: LegRow): void;

  /** Its transaction is on the chain, and moved its value. */
  onIncluded(context: C, unit: UnitOfWork, leg: LegRow, spent: Spent): void;
  /** A reorg dropped that transaction. */
  onUndone(unit: UnitOfWork, leg: LegRow): void;
  /** Its transaction is final and succeeded, and what it did with the value cannot be read. */
  onUnread(context: C, unit: UnitOfWork, leg: LegRow): void;
  /** Its key ended for good without effect. `reverted`: by a transaction that landed. */
  onClosed(context: C, unit: UnitOfWork, open: OpenKey, leg: LegRow, reverted: Spent | null): void;

  /** Time before which nobody can have paid it. */
  since(context: C, leg: LegRow): Promise<UnixMs>;
  /** Whether a payment that this ledger does not know, and that spent the once-only use of a leg, is one of ours. */
  isOurs(chain: ChainAdapter, leg: LegRow, paid: LegPaid): boolean;
  /**
   * What is taken back of such a payment's posting to its lane, because the lane's balance tells it.
   *
   * Invariant: a surplus of the lane may be booked at any time before or after the leg is found done, even of a lane that was
   * never resumed, as where only a replacement was lost. A shortfall is booked by a resumption and by nothing else.
   *
   * @param resumed the lane was resumed after that payment, and its balances booked as its chain has them.
   */
  countedApart(context: C, leg: LegRow, paid: LegPaid, resumed: boolean): bigint;
  /** It was paid so, for good: what it claimed is given back, and its request follows. */
  onPaidElsewhere(context: C, unit: UnitOfWork, leg: LegRow, paid: LegPaid, deposit: DepositRow | undefined): void;
}

/** The rules of every kind. */
export interface LegKindsFor<C, W extends C> {
  /** @throws for a kind that is not there. */
  of(leg: { readonly kind: OwedKind }): LegRulesFor<C, W>;
}

/** What may go out now, as it was charged for: most work that its transaction may take, null for no bound. */
export interface Due {
  readonly amount: bigint;
  readonly work: bigint | null;
}

/** A leg that is due, with what it belongs to. */
export interface Turn {
  readonly chain: ChainAdapter;
  readonly leg: LegRow;
  readonly request: RequestRow | undefined;
  readonly deposit: DepositRow | undefined;
  readonly means: Means;
  /** What stands against paying it. */
  readonly doubt: Doubt;
}

/** What fills are paid from, as one change set sees it. */
export interface Means {
  /** Claims inventory and limits for a fill, and inventory for what goes out beside it; undefined where nothing was read to claim from. */
  claim(
    unit: UnitOfWork,
    leg: LegRow,
    deposit: DepositRow,
    beside?: LegRow,
  ): { readonly ok: true } | { readonly ok: false; readonly reason: FailReason } | undefined;
  /** Claims inventory alone. False where there is too little, or nothing was read to claim from. */
  reserve(unit: UnitOfWork, leg: LegRow): boolean;
  /** All that its lane holds, promised to others or not, and all that there is to collect for it; smallest unit. */
  reach(leg: LegRow): bigint;
}

/**
 * `soon`: nothing is known to be wrong, a lane was not compared yet. `wait`: a lane that may have paid is halted. `hold`: it
 * must not go out by itself. `ask`: the other side's chain knows, a fill's whether its deposit was paid back by a send that this
 * ledger lost, a refund's whether its order was filled by one. `idle`: a fill that this ledger no longer makes, since its
 * deposit may yet be paid back; it is done, or late.
 */
export type Doubt = 'none' | 'soon' | 'wait' | 'hold' | 'ask' | 'idle';

/** What is known of sends that this ledger lost, as one change set sees it. */
export interface LostSends {
  /** When the newest part of the ledger that was put back was written; null where it never was. */
  readonly restored: UnixMs | null;
  /** What was paid in until then may have been settled by sends that cannot be told; below any time for nothing. */
  readonly unmatchedUntil: UnixMs;
  /** The same of the orders that were to be filled on one chain, which did not tell what was sent there. */
  untoldUntil(chainId: ChainId): UnixMs;
  /** As `untoldUntil`, but of a chain that only could not tell, whatever was put back. */
  untold(chainId: ChainId): UnixMs;
  /** When a lane of the chain was found missing from a ledger that others worked on before. */
  begun(chainId: ChainId): UnixMs;
  isHalted(chainId: ChainId): boolean;
  /** Halted, and not configured any more: that does not end by itself. */
  isAbandoned(chainId: ChainId): boolean;
  readonly someAbandoned: boolean;
  /** Null where none of these chains keeps a leg waiting. */
  waits(chainIds: readonly ChainId[]): 'wait' | 'soon' | null;
  /** An order that is known to have been filled by something that this ledger does not know. */
  isFilled(orderId: OrderId): boolean;
}
