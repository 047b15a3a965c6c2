import type { BlockRef, ChainId, FundingKey, Hex, OrderId } from './ids.js';
import type { ExecutionObservation } from './own-swaps.js';

/**
 * `mempool`: seen unconfirmed. `included`: in a block that may still be replaced. `final`: never changes again. `vanished`: no
 * longer on the canonical chain.
 */
export type ObservationState = 'mempool' | 'included' | 'final' | 'vanished';

/** One funding transfer as the chain proves it. */
export interface DepositObservation {
  readonly fundingKey: FundingKey;
  readonly chainId: ChainId;
  readonly transactionHash: string;
  /** Canonical currency address. Of what nobody configured nothing is told: anybody can make up a token. */
  readonly currency: string;
  /** Amount that arrived (never the quoted amount), smallest unit. */
  readonly amount: bigint;
  /** The party the chain names as depositor; the only recipient an orphan may be refunded to. */
  readonly depositor: string;
  /**
   * The order id the transfer carries, lower case; null when it carries none. Where deposits have no room for a whole one, its short
   * form: `0x` and the first `ChainFacts.orderIdBytes` bytes.
   */
  readonly orderId: OrderId | null;
  /** The deposit address it paid, for address-based deposits; null for depository deposits. */
  readonly depositAddress: string | null;
  readonly state: ObservationState;
  /** The block that includes it; null in the mempool or after vanishing. */
  readonly block: BlockRef | null;
  /**
   * For a transfer that vanished before it was in a block: the transaction that spent its inputs, and that transaction's block;
   * told again when a reorg moves it. Absent: the transfer is given up without proof.
   */
  readonly rival?: { readonly hash: string; readonly block: BlockRef };
  /**
   * What the depositor paid with, where a contract of the service exchanged that and deposited what came out in the same
   * transaction, by that contract's own event. Absent: what arrived.
   */
  readonly paid?: PaidWith;
  /**
   * It reached an address that is no pot of the service, although the service's key can move it, or the depository in a way that does not
   * tell how much arrived: it funds nothing, and an operator is notified of it. Absent: it is in the depository.
   */
  readonly stray?: true;
  /**
   * Native coin, smallest unit, that the depository itself was charged for taking it, beside `amount`: where it is an account whose own
   * code runs when it is paid. Told with the state `final` only, and each time with that; so whoever tells it tells its deposits as final
   * itself, at the latest in the batch whose `finalized` reaches them. Absent: nothing.
   */
  readonly cost?: bigint;
}

/** What somebody paid with, smallest unit of a canonical currency of the same chain. */
export interface PaidWith {
  readonly currency: string;
  readonly amount: bigint;
}

/**
 * Which of these orders were promised by this service, by what deposits of the chain carry: whole ids, or short forms. Never rejects:
 * while it cannot be known, none is named.
 */
export type IsPromised = (orderIds: readonly OrderId[]) => Promise<ReadonlySet<OrderId>>;

/** What a watcher is told of what it looks for. */
export interface Wanted {
  /** Where an adapter has to read transactions one by one, it reads transactions that name a promised order first. */
  readonly isPromised: IsPromised;
}

/** A transaction that touched a watched address and that no provider shows in a form that can be read. */
export interface UnreadTransaction {
  readonly transactionHash: string;
  readonly block: BlockRef;
  /** Why, for operators. */
  readonly why: string;
}

/** A funding transfer in the block that one provider told of, for others to confirm. Its order is named as the transfer carries it. */
export interface Sighting
  extends Pick<DepositObservation, 'fundingKey' | 'transactionHash' | 'currency' | 'amount' | 'depositor' | 'orderId'> {
  readonly block: Pick<BlockRef, 'height' | 'id'>;
  /** How many providers must agree. */
  readonly providers: number;
}

/**
 * What a watcher learnt since the cursor, to be made durable in one transaction with the new cursor.
 *
 * Invariant: applying the batches of any run of the watcher from any durable cursor, including one taken
 * before a crash or a reorg, leads to the same observations.
 */
export interface DepositBatch {
  /** Opaque to core. Passing it to `watchDeposits` resumes after this batch. */
  readonly cursor: string;
  /** The chain's head when the batch was made. */
  readonly head: BlockRef;
  /** The chain's newest final block. Observations at or below it are final. */
  readonly finalized: BlockRef;
  /**
   * The canonical chain was replaced above this height since the cursor: every `included` observation
   * above it is vanished unless this same batch repeats it.
   */
  readonly rewoundTo?: number;
  readonly deposits: readonly DepositObservation[];
  /**
   * What payers executed by themselves; absent: nothing. As with deposits, those above `rewoundTo` that are not repeated are gone,
   * and each is told once more when its block is final.
   */
  readonly executions?: readonly ExecutionObservation[];
  /** Height up to which it has read, where that is below its head: more is to come, and nothing is known of what is above. */
  readonly readTo?: number;
  /**
   * Height up to which everything was listed, and whatever of it names a promised order was read, where `readTo` waits for single
   * transactions. Absent: `readTo`. A chain whose watcher stays behind its head in this is not quoted.
   */
  readonly listedTo?: number;
  /**
   * It tells of everything in the blocks above this height and up to `readTo` (or its head): an `included` observation there that it
   * does not repeat is gone. A batch that was made durable in part, before its cursor, leaves such observations behind, and no reorg
   * before the next run is a rewind to that cursor. Absent: it does not tell of all blocks in their order, and the first batches of a
   * run repeat everything above a `rewoundTo`.
   */
  readonly readFrom?: number;
  /** What may be a transfer and cannot be read: named to an operator, while the cursor moves on. Absent: nothing. */
  readonly unread?: readonly UnreadTransaction[];
}

/** One unsigned transaction for the payer to sign, in the family's own data form. */
export interface DepositStepItem {
  /**
   * What the client's wallet adapter needs (`from`, `to`, `data`, `value`, `chainId`, gas fields on nonce chains). Decimal
   * strings.
   */
  readonly data: Readonly<Record<string, unknown>>;
}

export interface DepositStep {
  /** `approve` steps get no `check` in the answer; `deposit` funds the order, `swap` and `send` execute it. */
  readonly id: 'approve' | 'deposit' | 'swap' | 'send';
  readonly action: string;
  readonly description: string;
  readonly items: readonly DepositStepItem[];
}

export interface DepositStepsInput {
  readonly payer: string;
  /** Canonical currency address. */
  readonly currency: string;
  /** What leaves the payer's account, smallest unit; less arrives where `transferFee` says so. */
  readonly amount: bigint;
  readonly orderId: OrderId;
  /** Canonical address of who pays the network fee instead of the payer; only with the capability `depositFeePayer`. */
  readonly feePayer?: string;
  /** What `payerUtxos` found for this payer and amount; without it such a chain's steps name what is to be paid and no more. */
  readonly funds?: string;
  /** The transaction limits its own work (`includeComputeUnitLimit`); of no effect where a chain has no such instruction. */
  readonly limitsWork?: boolean;
}

/** A deposit that outputs of its payer have to be found for. */
export interface PayerFundsWish {
  /** Canonical address. */
  readonly payer: string;
  /** As the client gave it (`additionalData.userPublicKey`); null where it gave none. */
  readonly publicKey: string | null;
  /** Smallest unit of the native coin. */
  readonly amount: bigint;
}

export type PayerFunds =
  /** Opaque, handed to `depositSteps`. JSON-serialisable. */
  | { readonly ok: true; readonly funds: string }
  /**
   * `short`: the payer has too little. `publicKey`: it is missing, or is not the payer's. `payer`: nothing can be signed for
   * such an address.
   */
  | { readonly ok: false; readonly why: 'short' | 'publicKey' | 'payer'; readonly message: string };

/** Finds what a payer can spend. Rejects on infrastructure failure, and in time. */
export type PayerUtxos = (wish: PayerFundsWish) => Promise<PayerFunds>;

/** Free-form call, as reported for failed fills. */
export interface CallData {
  readonly from: string;
  readonly to: string;
  readonly data: Hex | string;
  readonly value: string;
}
