import type { FailReason } from '../errors/fail-reasons.js';
import type { DestinationCall } from './chain-capabilities.js';
import type { AddressRef } from './deposit-addresses.js';
import type { CallData } from './deposits.js';
import type { BlockRef, FundingKey, Hex, OrderId, UnixSeconds } from './ids.js';

/** Adapters refuse kinds they do not know: more may follow. */
export type LegKind = 'fill' | 'refund' | 'excess' | 'collect' | 'sweep' | 'call';

interface LegBase {
  readonly legId: string;
  readonly currency: string;
  /** Smallest unit. */
  readonly amount: bigint;
  readonly recipient: string;
  /**
   * Maximum work of its transaction, as charged (`CostEstimate.work`). Above it `check` refuses a fill with
   * QUOTED_GAS_LIMIT_EXCEEDED and a refund as `unavailable`; `legCost` then returns the higher need. Absent: only the
   * chain's bound.
   */
  readonly work?: bigint;
}

/** Pays an order's output or claimed app fees from inventory, under an id that is filled once. */
export interface FillLeg extends LegBase {
  readonly kind: 'fill';
  readonly orderId: OrderId;
  /** The order's deadline, enforced on chain if a contract of the service can. */
  readonly deadline: UnixSeconds;
  /**
   * Maximum native coin, smallest unit, locked up by opening the recipient's account, as charged; above it `check`
   * refuses with NEW_CALLDATA_INCLUDES_HIGHER_RENT_FEE. Absent: no limit.
   */
  readonly mostRent?: bigint;
  /** From `DestinationCalls.encode`. Absent: none. */
  readonly calls?: readonly Hex[];
  /**
   * Native coin for the calls, filled atomically under its own id; only with calls, in a token, with
   * `DestinationCalls.carriesTopUp`. A sent leg is recognised without it.
   */
  readonly topUp?: FillTopUp;
  /** From `Authorizations.read`, in effect before the calls; only with calls. Absent: none. */
  readonly authorizations?: readonly Hex[];
  /** Minimum increase of the recipient's balance by the calls; only with calls. Absent: not measured. */
  readonly wanted?: SwapOutput;
}

export interface FillTopUp {
  readonly orderId: OrderId;
  /** Smallest unit. */
  readonly amount: bigint;
}

export interface SwapOutput {
  readonly currency: string;
  /** Smallest unit. */
  readonly least: bigint;
}

/** A recipient's balance increase, smallest unit. */
export interface Brought {
  readonly currency: string;
  readonly amount: bigint;
}

/**
 * Refunds a deposit from the depository. `useKey` makes the withdrawal once-only on chains with a depository contract.
 */
export interface RefundLeg extends LegBase {
  readonly kind: 'refund' | 'excess';
  readonly fundingKey: FundingKey;
  /** 32 bytes: keccak(funding key, leg). */
  readonly useKey: Hex;
  readonly expiration: UnixSeconds;
  /** Part of the deposit that it settles; the excess over `amount` was withheld for gas. Absent: `amount`. */
  readonly covers?: bigint;
  /**
   * Swaps the refund back into what the payer paid; only with `PayerSwaps.deposits`. A sent leg is recognised without
   * it.
   */
  readonly exchange?: RefundExchange;
  /** Deposit address that holds the deposit, on chains without sweeps. Absent: the depository, or a sent leg. */
  readonly from?: AddressRef;
}

export interface RefundExchange {
  readonly output: SwapOutput;
  readonly calls: readonly DestinationCall[];
}

/** Moves settled, final deposits from the depository into inventory. `recipient` is the inventory address. */
export interface CollectLeg extends LegBase {
  readonly kind: 'collect';
  readonly useKey: Hex;
  readonly expiration: UnixSeconds;
  /** Deposits it spends, on chains where each is a separate output. Absent outside of preparation. */
  readonly fundingKeys?: readonly FundingKey[];
  /** Those of them that are at deposit addresses, on chains without sweeps. Absent: none. */
  readonly from?: readonly (AddressRef & { readonly fundingKey: FundingKey })[];
}

/**
 * Moves one transfer from its deposit address to the depository, `recipient`. Done once everything that had arrived
 * there, up to this transfer, has reached the depository, by any transaction.
 */
export interface SweepLeg extends LegBase {
  readonly kind: 'sweep';
  readonly fundingKey: FundingKey;
  /** 32 bytes: keccak(funding key, leg). Names the leg in its transaction. */
  readonly useKey: Hex;
  readonly expiration: UnixSeconds;
  readonly from: AddressRef;
  /**
   * Recorded transfers of the native coin that are at the address with this one, smallest unit: whatever else is there is no
   * one's. Absent in a leg that was sent, and for tokens.
   */
  readonly others?: bigint;
}

/** A call for others (`RawCalls`) of `recipient`. It moves no money: `amount` is 0. Made at most once, under one key. */
export interface CallLeg extends LegBase {
  readonly kind: 'call';
  /** 32 bytes that name it, where the family's transactions carry such names. */
  readonly useKey: Hex;
  /** Absent in a leg that was sent. */
  readonly data?: Hex;
  /** From `Authorizations.read`. Absent: none, or a leg that was sent. */
  readonly authorizations?: readonly Hex[];
}

export type LegInstruction = FillLeg | RefundLeg | CollectLeg | SweepLeg | CallLeg;

export interface LaneRef {
  readonly signer: string;
  /**
   * Each kind that the chain serves has exactly one lane; `call` may have several. The `fill` lane holds inventory and
   * receives collects. Former lanes do not count.
   */
  readonly sends: readonly LegKind[];
  /**
   * `lane`: a separate account. `depository`: the account that receives deposits; refunds and collects use its key
   * sequence and balance, it sends no fills and has no inventory, and a deposit's funds pay only its own fees.
   * Absent: `lane`.
   */
  readonly pot?: PotKind;
  /**
   * Of a signer that was replaced: completes the legs that it was given before, and gets no others. Its inventory is not
   * promised any more.
   */
  readonly former?: true;
}

/** Kinds that every chain serves. */
export const EVERY_LEG: readonly LegKind[] = Object.freeze(['fill', 'refund', 'excess', 'collect'] as const);

/** The lane that new legs are given to. */
export function laneThatSends(lanes: readonly LaneRef[], kind: LegKind): LaneRef | undefined {
  return lanes.find(({ sends, former }) => sends.includes(kind) && /* guard: nothing-new-to-former */ former !== true);
}

/**
 * `position` is opaque to core (next nonce or sequence number; empty if keys are not sequential). Advanced in the
 * transaction that stores a key's first attempt, and past keys used on chain.
 */
export interface LanePosition {
  readonly signer: string;
  readonly position: string;
}

export type LegCheck =
  | {
      readonly ok: true;
      /** Opaque execution plan (gas limit etc.), handed to `prepare`. JSON-serialisable. */
      readonly plan: string;
    }
  | {
      readonly ok: false;
      /** `refused`: the chain proves that this leg cannot succeed. `unavailable`: nothing was learnt; ask again. */
      readonly kind: 'refused' | 'unavailable';
      readonly reason: FailReason;
      readonly message: string;
      readonly failedCallData?: CallData;
      readonly height?: number;
      /** If the amount is too small for this recipient: the minimum, smallest unit. */
      readonly least?: bigint;
    };

export interface LegBatches {
  readonly most: number;
  /** How long the first leg waits for more, while there are fewer than `most`. */
  readonly gatherMs: number;
  /** Fewest due legs for which `ChainAdapter.checkTogether` is called. Absent: two. */
  readonly least?: number;
}

export interface PrepareInput {
  readonly lane: LanePosition;
  readonly legs: readonly { readonly leg: LegInstruction; readonly plan: string }[];
}

export interface ReplaceInput {
  readonly key: string;
  readonly signer: string;
  readonly previousFees: string;
  /** Legs to carry; empty closes the key with a no-op that moves no value. */
  readonly legs: readonly { readonly leg: LegInstruction; readonly plan: string }[];
}

export interface Prepared {
  /** Unique per chain. Of two transactions with one key, at most one takes effect. */
  readonly key: string;
  /** Lane position after this key; unchanged for replacements. */
  readonly nextPosition: string;
  /** Opaque, JSON-serialisable. */
  readonly unsigned: string;
  /** Opaque, JSON-serialisable; input of the next replacement. */
  readonly fees: string;
  /** Maximum fee in native coin, smallest unit. */
  readonly maxFee: bigint;
  /** Number of the given legs it carries, from the first; absent: all. At least one if any were given. */
  readonly carries?: number;
}

export type PrepareOutcome =
  | { readonly ok: true; readonly prepared: Prepared }
  /**
   * `feeCap`: a replacement would exceed the configured cap. `noGas`: the signer cannot pay. `unavailable`: nothing
   * was learnt.
   */
  | { readonly ok: false; readonly why: 'feeCap' | 'noGas' | 'unavailable'; readonly message: string };

export interface SignedTransaction {
  /** Exactly the bytes sent. */
  readonly bytes: string;
  /** Known before sending. */
  readonly hash: string;
}

/**
 * `accepted`: a provider took it. `known`: a provider already had it, pending or mined. `rejected`: every answering
 * provider refused it before its pool. `barred`: possibly for ever, because of another named account's pending
 * transactions. `ambiguous`: it may be in flight (time-out, lost reply, unknown error).
 */
export type SendOutcome =
  | { readonly outcome: 'accepted' | 'known' }
  | {
      readonly outcome: 'rejected';
      readonly meaning: 'keySpent' | 'keyTooFar' | 'noGas' | 'feeTooLow' | 'tooLarge' | 'barred' | 'invalid';
      readonly message: string;
    }
  | { readonly outcome: 'ambiguous'; readonly message: string };

/** A key with everything ever signed under it, oldest first. */
export interface KeyView {
  readonly key: string;
  readonly signer: string;
  readonly attempts: readonly { readonly hash: string; readonly legs: readonly LegInstruction[] }[];
}

/**
 * According to chain events. A successful transaction moved its legs' value somewhere: if events do not show where,
 * the leg is neither `done` nor `returned`, and core holds it for an operator.
 */
export interface LegEffect {
  readonly legId: string;
  /** Value proven to have reached its recipient. */
  readonly done: boolean;
  /** Value proven to be back in its source pot (a bounced message, a payment omitted from a batch). */
  readonly returned?: true;
  readonly failure?: LegFailure;
  /** If `returned`: its part of the fee, native smallest unit. Absent: an equal share. */
  readonly fee?: bigint;
  /** Smallest unit that left the source pot. */
  readonly moved: bigint;
  /**
   * Collect with a transfer fee: part of `moved` that reached the lane, smallest unit. Absent: all. Must not change
   * for one block, because a difference would be booked again.
   */
  readonly arrived?: bigint;
  /** Fill with `wanted` or refund with `exchange`: the recipient's balance increase. */
  readonly brought?: Brought;
}

/** Where money that the service owns or holds for others is. */
export type PotKind = 'depository' | 'lane';

export interface PotRef {
  readonly pot: PotKind;
  /** Canonical address. */
  readonly owner: string;
}

export interface LegFailure {
  readonly reason: FailReason;
  readonly message: string;
  readonly call: CallData;
}

export type KeyEvidence =
  /** Providers failed or disagree. */
  | { readonly state: 'unknown'; readonly why: string }
  /** Unspent at the head. `inPool`: a provider holds one of the service's transactions. */
  | { readonly state: 'unspent'; readonly inPool: boolean }
  /** Spent by a transaction of the service. */
  | {
      readonly state: 'spent';
      readonly hash: string;
      /** Not reverted. */
      readonly ok: boolean;
      readonly block: BlockRef;
      readonly final: boolean;
      /** Native coin, smallest unit. */
      readonly fee: bigint;
      /** Pot that paid the fee; not always the key's lane, for example if a vault pays. */
      readonly feePaidBy: PotRef;
      readonly effects: readonly LegEffect[];
      readonly failure?: LegFailure;
    }
  /** Spent by a foreign transaction, or expired unused: no attempt can take effect under it. */
  | { readonly state: 'spentByOther'; readonly final: boolean };

export interface KeySpender {
  readonly hash: string;
  readonly final: boolean;
  /** Empty if it reverted or moved something else. */
  readonly filled: readonly OrderId[];
  /** It may have filled orders that it does not name. */
  readonly unreported?: true;
}

/** See `KeysByHistory.sentSince`. */
export interface SentSince {
  /** In landing order. */
  readonly sent: readonly KeySpender[];
  /** False once nothing signed by then can still land. */
  readonly pending: boolean;
  /** Position for a ledger that knows all final sends so far and waits for the rest. */
  readonly position: string;
}

export interface LegPaid {
  readonly hash: string;
  readonly block: BlockRef;
  readonly final: boolean;
  readonly sender: string;
  readonly currency: string;
  readonly recipient: string;
  /** Smallest unit that left the source pot. */
  readonly moved: bigint;
  /** As `LegEffect.brought`, if known. */
  readonly brought?: Brought;
  /** The transaction names its leg only in part: no proof unless other legs are ruled out. */
  readonly doubtful?: true;
}
