import type { BlockRef, ChainId, FundingKey, Hex, OrderId } from './ids.js';
import type { ExecutionObservation } from './own-swaps.js';

/**
 * `mempool`: unconfirmed. `included`: in a block that a reorg may replace. `final`: permanent. `vanished`: no longer
 * on the canonical chain.
 */
export type ObservationState = 'mempool' | 'included' | 'final' | 'vanished';

/** One funding transfer as the chain proves it. */
export interface DepositObservation {
  readonly fundingKey: FundingKey;
  readonly chainId: ChainId;
  readonly transactionHash: string;
  /** Canonical address of a configured currency; others are not reported, because anyone can create a token. */
  readonly currency: string;
  /** Amount that arrived (never the quoted amount), smallest unit. */
  readonly amount: bigint;
  /** The depositor according to the chain; the only recipient an orphan may be refunded to. */
  readonly depositor: string;
  /**
   * Order id in the transfer, lower case; null if there is none. With `ChainFacts.orderIdBytes`, its short form: `0x`
   * and that many bytes.
   */
  readonly orderId: OrderId | null;
  /** The deposit address it paid; null for depository deposits. */
  readonly depositAddress: string | null;
  readonly state: ObservationState;
  /** The including block; null in the mempool or after vanishing. */
  readonly block: BlockRef | null;
  /**
   * For a transfer that vanished before inclusion: the transaction that spent its inputs, with its block; reported
   * again when a reorg moves it. Absent: given up without proof.
   */
  readonly rival?: { readonly hash: string; readonly block: BlockRef };
  /**
   * What the depositor paid, if a contract of the service swapped it and deposited the output in the same
   * transaction, according to that contract's event. Absent: what arrived.
   */
  readonly paid?: PaidWith;
  /**
   * Funds nothing; an operator is notified. It reached an address that is no pot but that the service's key controls,
   * or reached the depository without showing the amount. Absent: a regular deposit.
   */
  readonly stray?: true;
  /**
   * Native coin, smallest unit, that the depository was charged for receiving it, in addition to `amount` (a
   * depository account whose code runs on receipt). Always and only reported with state `final`; such a watcher
   * itself reports its deposits as final, at the latest in the batch whose `finalized` reaches them. Absent: nothing.
   */
  readonly cost?: bigint;
}

/** A payment in a canonical currency of the same chain, smallest unit. */
export interface PaidWith {
  readonly currency: string;
  readonly amount: bigint;
}

/**
 * Which of these order ids (whole or short form) the service promised. Never rejects: returns none while that cannot
 * be known.
 */
export type IsPromised = (orderIds: readonly OrderId[]) => Promise<ReadonlySet<OrderId>>;

export interface Wanted {
  /** Adapters that read transactions singly read those naming a promised order first. */
  readonly isPromised: IsPromised;
}

/** A transaction that touched a watched address and that no provider returns in a readable form. */
export interface UnreadTransaction {
  readonly transactionHash: string;
  readonly block: BlockRef;
  /** For operators. */
  readonly why: string;
}

/**
 * A funding transfer with the block that one provider reported, for others to confirm. Its order id is as in the
 * transfer.
 */
export interface Sighting
  extends Pick<DepositObservation, 'fundingKey' | 'transactionHash' | 'currency' | 'amount' | 'depositor' | 'orderId'> {
  readonly block: Pick<BlockRef, 'height' | 'id'>;
  /** How many providers must agree. */
  readonly providers: number;
}

/**
 * What a watcher learnt since the cursor, committed in one transaction with the new cursor.
 *
 * Invariant: applying the batches of any run from any durable cursor, including one from before a crash or a reorg,
 * leads to the same observations.
 */
export interface DepositBatch {
  /** Opaque to core. Passing it to `watchDeposits` resumes after this batch. */
  readonly cursor: string;
  readonly head: BlockRef;
  /** Newest final block. Observations at or below it are final. */
  readonly finalized: BlockRef;
  /**
   * A reorg replaced the chain above this height since the cursor: every `included` observation above it is vanished
   * unless this batch repeats it.
   */
  readonly rewoundTo?: number;
  readonly deposits: readonly DepositObservation[];
  /**
   * Transactions that payers executed themselves; absent: none. As with deposits, those above `rewoundTo` that are
   * not repeated are gone. Each is reported once more when its block is final.
   */
  readonly executions?: readonly ExecutionObservation[];
  /** Height read so far, if below the head: nothing above it is known yet. */
  readonly readTo?: number;
  /**
   * Height up to which everything was listed and every transfer naming a promised order was read, while `readTo`
   * waits for single transactions. Absent: `readTo`. A chain whose watcher stays behind in this is not quoted.
   */
  readonly listedTo?: number;
  /**
   * The batch reports everything above this height up to `readTo` (or the head): an `included` observation there that
   * it does not repeat is gone. Needed because a batch committed only in part, without its cursor, leaves
   * observations that no later reorg rewinds. Absent: blocks are not reported in order, and the first batches of a
   * run repeat everything above `rewoundTo`.
   */
  readonly readFrom?: number;
  /** Possible transfers that cannot be read: reported to an operator while the cursor moves on. Absent: none. */
  readonly unread?: readonly UnreadTransaction[];
}

/** One unsigned transaction for the payer, in the family's own data form. */
export interface DepositStepItem {
  /**
   * Input of the client's wallet adapter (`from`, `to`, `data`, `value`, `chainId`, gas fields on nonce chains).
   * Decimal strings.
   */
  readonly data: Readonly<Record<string, unknown>>;
}

export interface DepositStep {
  /** `approve` steps have no `check` in the response; `deposit` funds the order, `swap` and `send` execute it. */
  readonly id: 'approve' | 'deposit' | 'swap' | 'send';
  readonly action: string;
  readonly description: string;
  readonly items: readonly DepositStepItem[];
}

export interface DepositStepsInput {
  readonly payer: string;
  readonly currency: string;
  /** What leaves the payer's account, smallest unit; less arrives if there is a `transferFee`. */
  readonly amount: bigint;
  readonly orderId: OrderId;
  /** Canonical address that pays the network fee instead of the payer; only with `depositFeePayer`. */
  readonly feePayer?: string;
  /** From `payerUtxos`, for this payer and amount; without it the steps only name what is to be paid. */
  readonly funds?: string;
  /** The transaction limits its own work (`includeComputeUnitLimit`); ignored on chains without such an instruction. */
  readonly limitsWork?: boolean;
}

/** A deposit that needs outputs of its payer. */
export interface PayerFundsWish {
  /** Canonical address. */
  readonly payer: string;
  /** From the client (`additionalData.userPublicKey`); null if absent. */
  readonly publicKey: string | null;
  /** Native coin, smallest unit. */
  readonly amount: bigint;
}

export type PayerFunds =
  /** Opaque, JSON-serialisable input of `depositSteps`. */
  | { readonly ok: true; readonly funds: string }
  /**
   * `short`: insufficient funds. `publicKey`: missing, or not the payer's. `payer`: nothing can be signed for such an
   * address.
   */
  | { readonly ok: false; readonly why: 'short' | 'publicKey' | 'payer'; readonly message: string };

/** Finds spendable outputs of a payer. Has its own time limit; rejects on infrastructure failure. */
export type PayerUtxos = (wish: PayerFundsWish) => Promise<PayerFunds>;

export interface CallData {
  readonly from: string;
  readonly to: string;
  readonly data: Hex | string;
  readonly value: string;
}
