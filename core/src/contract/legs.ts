import type { FailReason } from '../errors/fail-reasons.js';
import type { DestinationCall } from './chain-capabilities.js';
import type { CallData } from './deposits.js';
import type { BlockRef, FundingKey, Hex, OrderId, UnixSeconds } from './ids.js';

/** A movement that is owed. Adapters refuse kinds that they do not serve: there will be more. */
export type LegKind = 'fill' | 'refund' | 'excess' | 'collect';

interface LegBase {
  readonly legId: string;
  /** Canonical currency address on the leg's chain. */
  readonly currency: string;
  /** Smallest unit. */
  readonly amount: bigint;
  readonly recipient: string;
  /**
   * Most work that its transaction may take (`CostEstimate.work`), as it was charged for. `check` refuses a leg that needs
   * more: a fill with QUOTED_GAS_LIMIT_EXCEEDED, a payment back as `unavailable`; `legCost` gives the greater need from then
   * on, so that the leg is priced anew. Absent: no bound but the chain's own.
   */
  readonly work?: bigint;
}

/** Pays out of inventory what an order promised, or app fees that were claimed, under an id that is filled once. */
export interface FillLeg extends LegBase {
  readonly kind: 'fill';
  readonly orderId: OrderId;
  /** The order's deadline, enforced by the chain where a contract of ours can. */
  readonly deadline: UnixSeconds;
  /**
   * Most native coin, smallest unit, that an account which has to be opened for the recipient may lock up, as it was charged
   * for; above it `check` refuses with NEW_CALLDATA_INCLUDES_HIGHER_RENT_FEE. Absent: whatever it takes.
   */
  readonly mostRent?: bigint;
  /** Calls to make with what is delivered, as `DestinationCalls.encode` gave them. Absent: none. */
  readonly calls?: readonly Hex[];
  /**
   * Native coin, smallest unit, for the account of the calls to spend, filled under an id of its own in the same step: both or
   * none. Only with calls, in a token, on chains with `DestinationCalls.carriesCoin`; a leg that was sent with it is recognised
   * without. Absent: calls spend what is delivered.
   */
  readonly coin?: CoinBeside;
  /** In effect before the calls, as `Authorizations.read` gave them; only with calls. Absent: none. */
  readonly authorizations?: readonly Hex[];
  /** What the calls must have brought the recipient in the end, by its own balance; only with calls. Absent: nothing is measured. */
  readonly wanted?: SwapOutput;
}

/** Native coin that goes with a fill, and the id under which it is filled. */
export interface CoinBeside {
  readonly orderId: OrderId;
  /** Smallest unit. */
  readonly amount: bigint;
}

/** A currency that the calls of a fill exchange what is delivered for. */
export interface SwapOutput {
  /** Canonical address on the leg's chain. */
  readonly currency: string;
  /** Smallest unit. */
  readonly least: bigint;
}

/** What a recipient got of a currency, smallest unit. */
export interface Brought {
  readonly currency: string;
  readonly amount: bigint;
}

/** Pays back from the depository. `useKey` makes the withdrawal once-only on chains with a depository contract. */
export interface RefundLeg extends LegBase {
  readonly kind: 'refund' | 'excess';
  readonly fundingKey: FundingKey;
  /** 32 bytes: keccak(funding key, leg). */
  readonly useKey: Hex;
  readonly expiration: UnixSeconds;
  /** Part of the deposit that it settles; what is above `amount` was withheld for its gas. Absent: `amount`. */
  readonly covers?: bigint;
  /**
   * Exchanged on the way, so that the recipient gets what it had paid with; only on chains with `OwnSwaps.deposits`. A
   * leg that was sent with an exchange is recognised without it. Absent: paid back as it is.
   */
  readonly exchange?: RefundExchange;
}

/** What a payment back is exchanged for, by calls of `SwapDeposits.refundAccount`. All of it happens or nothing. */
export interface RefundExchange {
  readonly output: SwapOutput;
  readonly calls: readonly DestinationCall[];
}

/** Moves settled, final deposits from the depository into inventory. `recipient` is the inventory address. */
export interface CollectLeg extends LegBase {
  readonly kind: 'collect';
  readonly useKey: Hex;
  readonly expiration: UnixSeconds;
  /** The deposits that it takes from, for chains where each is a coin of its own. Absent where nobody prepares it. */
  readonly fundingKeys?: readonly FundingKey[];
}

export type LegInstruction = FillLeg | RefundLeg | CollectLeg;

/** A signer with its own sequence of single-use keys on one chain. */
export interface LaneRef {
  /** Address that sends. */
  readonly signer: string;
  /**
   * Kinds of legs that it sends. The lane that sends fills holds inventory, and is where collects go. On each chain every kind
   * that the chain serves has one lane.
   */
  readonly sends: readonly LegKind[];
  /**
   * What its signer's account is. `lane`: an account of its own. `depository`: the account that deposits are paid to, where no
   * contract holds them. Payments back and collects then use that account's own sequence and pay fees out of what it holds: such
   * a lane sends no fills and has no inventory, and what its deposits are owed pays no fee but their own. Absent: `lane`.
   */
  readonly pot?: PotKind;
}

/** What the one lane of a chain sends. */
export const EVERY_LEG: readonly LegKind[] = Object.freeze(['fill', 'refund', 'excess', 'collect'] as const);

/** The lane of a chain that sends legs of a kind; undefined where none does. */
export function laneThatSends(lanes: readonly LaneRef[], kind: LegKind): LaneRef | undefined {
  return lanes.find(({ sends }) => sends.includes(kind));
}

/**
 * Where a lane stands. `position` is opaque to core (the next nonce or sequence number; empty on chains whose
 * keys are not sequential). It is changed in the transaction that makes the key's first attempt
 * durable, and moved past what a comparison with the chain found to be known.
 */
export interface LanePosition {
  readonly signer: string;
  readonly position: string;
}

/** Result of asking the chain, without sending anything, whether a leg can be executed now. */
export type LegCheck =
  | {
      readonly ok: true;
      /** Opaque execution plan (gas limit and the like), handed to `prepare`. JSON-serialisable. */
      readonly plan: string;
    }
  | {
      readonly ok: false;
      /** `refused`: the chain proves that this leg cannot succeed. `unavailable`: nothing was learnt; ask again. */
      readonly kind: 'refused' | 'unavailable';
      readonly reason: FailReason;
      readonly message: string;
      readonly failedCallData?: CallData;
      /** About the block that the chain was asked at; absent where that is not known. */
      readonly height?: number;
      /** Where the amount is too small to be paid to this recipient: the least that would do, smallest unit. */
      readonly least?: bigint;
    };

/** How a chain carries several legs in one transaction. */
export interface LegBatches {
  /** Most legs of one transaction. */
  readonly most: number;
  /** How long the first leg waits for others, while there are fewer than `most`. */
  readonly gatherMs: number;
  /**
   * Legs are tried together (`ChainAdapter.checkTogether`) only where at least so many that may share are due at once.
   * Absent: wherever there are two.
   */
  readonly least?: number;
}

export interface PrepareInput {
  readonly lane: LanePosition;
  readonly legs: readonly { readonly leg: LegInstruction; readonly plan: string }[];
}

/** Another transaction under the same single-use key. */
export interface ReplaceInput {
  /** The key being reused. */
  readonly key: string;
  readonly signer: string;
  /** Fee terms of the newest attempt, as `Prepared.fees` gave them. */
  readonly previousFees: string;
  /** The legs to carry; empty closes the key with a no-op that moves no value. */
  readonly legs: readonly { readonly leg: LegInstruction; readonly plan: string }[];
}

/** An unsigned transaction and the single-use key that the chain enforces on it. */
export interface Prepared {
  /** Single-use key, unique per chain. Two transactions with one key can never both take effect. */
  readonly key: string;
  /** Lane position after this key; equal to the input's for replacements. */
  readonly nextPosition: string;
  /** Opaque unsigned transaction, JSON-serialisable. */
  readonly unsigned: string;
  /** Opaque fee terms, JSON-serialisable; input to the next replacement. */
  readonly fees: string;
  /** Most native coin the transaction can cost in fees, smallest unit. */
  readonly maxFee: bigint;
  /** How many of the given legs it carries, the first ones; absent: all. Never none of some. */
  readonly carries?: number;
}

export type PrepareOutcome =
  | { readonly ok: true; readonly prepared: Prepared }
  /**
   * `feeCap`: a replacement would exceed the configured cap. `noGas`: the signer cannot pay. `unavailable`: nothing was learnt.
   */
  | { readonly ok: false; readonly why: 'feeCap' | 'noGas' | 'unavailable'; readonly message: string };

export interface SignedTransaction {
  /** Exactly what goes over the wire. */
  readonly bytes: string;
  /** Known before sending. */
  readonly hash: string;
}

/**
 * `accepted`: a provider took it. `known`: a provider already had it, or had it mined.
 * `rejected`: every provider that answered refused it before its pool; `meaning` says why. `barred`: for what waits there of an
 * account that it names beside its sender, which may keep it out for as long as it likes.
 * `ambiguous`: it may or may not be on its way (time-out, lost reply, unknown error).
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
 * What one leg did, read from the chain's own events, never from our intention. A transaction that carried a leg and
 * succeeded has moved its value somewhere: where that cannot be read, the leg is neither done nor `returned`, and core holds
 * it for an operator.
 */
export interface LegEffect {
  readonly legId: string;
  /** True where the leg's value is proven to have gone to its recipient. */
  readonly done: boolean;
  /**
   * The chain proves that the value came back to the pot that it left, as a message that bounced does, or a payment that a
   * transaction of several left out.
   */
  readonly returned?: true;
  /** For one that is `returned`: why, where the chain tells it of this leg. */
  readonly failure?: LegFailure;
  /**
   * For one that is `returned`: what of the transaction's fee it took, smallest unit of the native coin, where the chain tells.
   * Absent: as much as each leg that the transaction carried.
   */
  readonly fee?: bigint;
  /** Smallest unit that left the source pot. */
  readonly moved: bigint;
  /**
   * For a collection in a currency that keeps a part of each transfer: what of `moved` reached the lane, smallest unit. Absent:
   * all of it. The same for the same block at every look, because a difference would be booked again.
   */
  readonly arrived?: bigint;
  /** For a fill with something `wanted`, or a payment back with an `exchange`: what the recipient got of another currency, by its own balance. */
  readonly brought?: Brought;
}

/** Where money of ours, or that was entrusted to us, is on a chain. */
export type PotKind = 'depository' | 'lane';

/** One of our pots on a chain, as `ChainState.potBalance` is asked about it. */
export interface PotRef {
  readonly pot: PotKind;
  /** Canonical address of the account that holds it. */
  readonly owner: string;
}

/** Decoded cause of what did not happen on a chain. */
export interface LegFailure {
  readonly reason: FailReason;
  readonly message: string;
  readonly call: CallData;
}

/** What the chain proves about a single-use key. */
export type KeyEvidence =
  /** No conclusion: providers failed or disagree. */
  | { readonly state: 'unknown'; readonly why: string }
  /** Not spent at the head. `inPool` is true when a provider holds one of our transactions. */
  | { readonly state: 'unspent'; readonly inPool: boolean }
  /** Spent by one of our transactions. */
  | {
      readonly state: 'spent';
      readonly hash: string;
      /** Executed without reverting. */
      readonly ok: boolean;
      readonly block: BlockRef;
      readonly final: boolean;
      /** Fee paid in native coin, smallest unit. */
      readonly fee: bigint;
      /**
       * The pot that the fee came out of, as the transaction tells: not always the lane whose key it spent, where another
       * account, such as a vault, pays for what leaves it.
       */
      readonly feePaidBy: PotRef;
      readonly effects: readonly LegEffect[];
      /** For `ok: false`: decoded cause. */
      readonly failure?: LegFailure;
    }
  /** Spent by a transaction that is not ours, or run out unused: nothing of ours can take effect under it. */
  | { readonly state: 'spentByOther'; readonly final: boolean };

/** The transaction that spent a single-use key, for keys that this ledger never used or lost. */
export interface KeySpender {
  readonly hash: string;
  readonly final: boolean;
  /** Orders that it filled; empty where it reverted or moved something else. */
  readonly filled: readonly OrderId[];
  /** It may have filled orders that it does not name. */
  readonly untold?: true;
}

/** What a chain tells of a signer's sends; see `KeysByHistory.sentSince`. */
export interface SentSince {
  /** In the order they landed. */
  readonly sent: readonly KeySpender[];
  /** False once nothing that anybody signed by then can land any more: it landed at a final block, or ran out. */
  readonly pending: boolean;
  /** Position of a ledger that knows all of what landed by now, for good, and waits for the rest. */
  readonly position: string;
}

/** The transaction that spent the once-only use of a leg (its order, or its use key), from the chain's own event. */
export interface LegPaid {
  readonly hash: string;
  readonly block: BlockRef;
  readonly final: boolean;
  /** Who sent it. */
  readonly sender: string;
  readonly currency: string;
  readonly recipient: string;
  /** Smallest unit that left the source pot. */
  readonly moved: bigint;
  /** As `LegEffect.brought`, wherever that is told. */
  readonly brought?: Brought;
  /**
   * The transaction names its leg only in part, so that it may belong to another leg: unless others are ruled out, it is no
   * proof.
   */
  readonly doubtful?: true;
}
