import type { SponsorKey } from '../../capabilities/sponsorship/policy.js';
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
 * Everything specific to one kind of leg (`engine/kinds`). The engine never compares kinds; facts used elsewhere are
 * in `LegFacts`.
 *
 * @typeParam C context of an engine's parts. @typeParam W context of a round of leased work.
 */
export interface LegRulesFor<C, W extends C> {
  /** @throws for a leg that lacks required data. */
  instruction(context: C, chain: ChainAdapter, leg: LegRow): LegInstruction;
  /** The same, complete for a first send or replacement. `known`: the leg's request, if already read. */
  toSend(context: C, leg: LegRow, whole: LegInstruction, known?: RequestRow): Promise<LegInstruction | Refused>;
  /** Which pot paid, and what of the deposit it settles. */
  readonly lines: MovementLines;

  /** Null when it is not the leg's turn; the unit of work then has the reason. */
  judge(context: W, unit: UnitOfWork, turn: Turn): Due | null;
  /** Why paying the leg may be a second payment after a loss of data. */
  doubt(context: C, lost: LostSends, leg: LegRow, request: RequestRow | undefined, deposit?: DepositRow): Doubt;
  /** Orders that a lost part of this ledger may have filled instead. */
  rivals(leg: LegRow): readonly OrderId[];
  /** Answer for a leg that a transaction unknown to this ledger carried out. */
  readonly done: Refused;
  /** The other side's chain's answer to the doubt `ask`; undefined where the leg may go out. */
  askOther(context: W, leg: LegRow, request: RequestRow | undefined): Promise<Refused | undefined>;
  /** The refusal means that its once-only use is spent. */
  isSpent(refused: Refused): boolean;
  /** Otherwise a refusal is final. */
  readonly isTriedAgain: boolean;
  onRefused(context: W, unit: UnitOfWork, leg: LegRow, refused: Refused): void;
  /** Payees in addition to those of its request and deposit. */
  readonly otherParties?: (context: C, leg: LegRow) => readonly Party[];
  /** A screener blocks a party: the value is held or stays owed. Nothing is signed. */
  onBlocked(context: W, unit: UnitOfWork, leg: LegRow): void;

  onIncluded(context: C, unit: UnitOfWork, leg: LegRow, spent: Spent): void;
  /** False: its final inclusion, at `height`, is looked at again later. Absent: always. */
  mayEnd?(context: C, leg: LegRow, height: number): boolean;
  /** Its inclusion is final. Absent: nothing more follows. */
  onFinal?(context: C, unit: UnitOfWork, leg: LegRow, spent: Spent): void;
  onUndone(unit: UnitOfWork, leg: LegRow): void;
  /** The transaction is final and succeeded, but its effect is unreadable. */
  onUnread(context: C, unit: UnitOfWork, leg: LegRow): void;
  /**
   * The leg's key ended without effect. `reverted`: by a transaction that landed. `inDoubt`: something else spent it, which a lost
   * ledger may have sent for this leg.
   */
  onClosed(context: C, unit: UnitOfWork, open: OpenKey, leg: LegRow, reverted: Spent | null, inDoubt: boolean): void;

  /** Time before which it cannot have been paid. */
  since(context: C, leg: LegRow): Promise<UnixMs>;
  /** Whether a payment unknown to this ledger is the solver's own. */
  isOurs(chain: ChainAdapter, leg: LegRow, paid: LegPaid): boolean;
  /**
   * Part of such a payment's posting that the lane's balance already shows.
   *
   * Invariant: a surplus may be booked at any time, even for a lane that was never resumed; only a resumption books a
   * shortfall.
   *
   * @param resumed after that payment, with balances booked from the chain.
   */
  countedApart(context: C, leg: LegRow, paid: LegPaid, resumed: boolean): bigint;
  /** The payment is final: the leg's claims are released and its request follows. */
  onPaidElsewhere(context: C, unit: UnitOfWork, leg: LegRow, paid: LegPaid, deposit: DepositRow | undefined): void;
}

export interface LegKindsFor<C, W extends C> {
  of(leg: { readonly kind: OwedKind }): LegRulesFor<C, W>;
}

/** `work` bounds its transaction; null: no bound. */
export interface Due {
  readonly amount: bigint;
  readonly work: bigint | null;
}

export interface Turn {
  readonly chain: ChainAdapter;
  readonly leg: LegRow;
  readonly request: RequestRow | undefined;
  readonly deposit: DepositRow | undefined;
  readonly means: Means;
  readonly doubt: Doubt;
  /** Adds held transfers to a refund that may go out. True where the leg changed: it is judged again. */
  join(): boolean;
}

/** Resources for fills, as one change set sees them. */
export interface Means {
  /** For a fill with its top-up; undefined where resources were not read. */
  claim(
    unit: UnitOfWork,
    leg: LegRow,
    deposit: DepositRow,
    extra?: LegRow,
  ): { readonly ok: true } | { readonly ok: false; readonly reason: FailReason } | undefined;
  /** Inventory alone. False where short or not read. */
  reserve(unit: UnitOfWork, leg: LegRow): boolean;
  /** Of a counter of app balances, with what the change set counted; zero where it was not read. */
  total(unit: UnitOfWork, account: string): bigint;
  /** Undefined where the store lacks it, or it was not read. */
  sponsorKey(id: string): SponsorKey | undefined;
  /** The lane's holdings, reserved or not, plus what can be collected; smallest unit. */
  reach(leg: LegRow): bigint;
}

/**
 * `soon`: a lane was not compared yet. `wait`: a lane that may have paid is halted. `hold`: never goes out
 * automatically. `ask`: the other side's chain must say whether a lost send refunded a fill's deposit, or filled a
 * refund's order. `idle`: a fill no longer made because its deposit may be refunded.
 */
export type Doubt = 'none' | 'soon' | 'wait' | 'hold' | 'ask' | 'idle';

/** Sends that this ledger lost, as one change set sees them. */
export interface LostSends {
  /** Time of the newest restored part of the ledger; null where none was restored. */
  readonly restored: UnixMs | null;
  /** Deposits until then may have been settled by unidentified sends. */
  readonly unmatchedUntil: UnixMs;
  /** The same for orders to be filled on one chain. */
  unreportedUntil(chainId: ChainId): UnixMs;
  /**
   * Like `unreportedUntil`, but only for a chain that cannot report its sends, whether or not the ledger was restored.
   */
  unreported(chainId: ChainId): UnixMs;
  /** When a lane of the chain was found missing from a ledger that others used before. */
  begun(chainId: ChainId): UnixMs;
  isHalted(chainId: ChainId): boolean;
  /** Halted and no longer configured: never ends automatically. */
  isAbandoned(chainId: ChainId): boolean;
  readonly someAbandoned: boolean;
  waits(chainIds: readonly ChainId[]): 'wait' | 'soon' | null;
  /** Filled by a transaction unknown to this ledger. */
  isFilled(orderId: OrderId): boolean;
}
