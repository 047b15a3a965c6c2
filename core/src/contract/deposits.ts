import type { AddressBook } from './deposit-addresses.js';
import type { BlockRef, ChainId, FundingKey, Hex, OrderId } from './ids.js';
import type { SentBy } from './nonce-mappings.js';
import type { ExecutionObservation } from './payer-swaps.js';

/**
 * `mempool`: unconfirmed. `included`: a reorg may replace its block. `final`: permanent. `vanished`: off the
 * canonical chain.
 */
export type ObservationState = 'mempool' | 'included' | 'final' | 'vanished';

export interface DepositObservation {
  readonly fundingKey: FundingKey;
  readonly chainId: ChainId;
  readonly transactionHash: string;
  /** Canonical; only configured currencies are reported, because anyone can create a token. */
  readonly currency: string;
  /** Amount that arrived (never the quoted amount), smallest unit. */
  readonly amount: bigint;
  /**
   * According to the chain; the only recipient an orphan may be refunded to. A text that `parseAddress` refuses where the
   * chain names no payer: nothing is paid to it.
   */
  readonly depositor: string;
  /** Lower case; null if there is none. With `ChainFacts.orderIdBytes`, its short form: `0x` and that many bytes. */
  readonly orderId: OrderId | null;
  /**
   * The deposit address it paid, with `orderId` null; null for depository deposits. Then `transactionHash` and
   * `depositor` are empty where the chain does not show them (native coin that arrived by an internal call).
   */
  readonly depositAddress: string | null;
  readonly state: ObservationState;
  /** The including block; null in the mempool or after vanishing. */
  readonly block: BlockRef | null;
  /**
   * For a transfer that vanished before inclusion: the transaction that spent its inputs, with its block; reported
   * again after a reorg. Absent: it was abandoned without proof.
   */
  readonly rival?: { readonly hash: string; readonly block: BlockRef };
  /**
   * What the depositor paid, if the service's contract swapped and deposited it in one transaction, by that
   * contract's event. Absent: what arrived.
   */
  readonly paid?: PaidWith;
  /**
   * Funds nothing; an operator is notified. It reached an address outside the pots that the service's key controls,
   * or the depository without an amount. Absent: a regular deposit.
   */
  readonly stray?: true;
  /**
   * With `capabilities.nonceMappings`, for a transfer that names no order and is the only such one of its transaction,
   * where the transaction's sender is the depositor: depends on the transaction alone. Absent: no mapping names it.
   */
  readonly sentBy?: SentBy;
  /**
   * Native coin, smallest unit, charged to a depository account whose code runs on receipt, in addition to `amount`.
   * Always and only with state `final`, which such a watcher reports itself, at the latest in the batch whose
   * `finalized` reaches the deposit. Absent: nothing.
   */
  readonly cost?: bigint;
}

export interface PaidWith {
  readonly currency: string;
  readonly amount: bigint;
}

/** Which of these order ids (whole or short) the service promised. Never rejects: none while unknown. */
export type IsPromised = (orderIds: readonly OrderId[]) => Promise<ReadonlySet<OrderId>>;

export interface Wanted {
  /** Adapters that read transactions singly read those naming a promised order first. */
  readonly isPromised: IsPromised;
  /** With `capabilities.depositAddresses`: accounts to watch in addition to the depository. Absent: none. */
  readonly addresses?: AddressBook;
}

/** It touched a watched address, and no provider returns it in a readable form. */
export interface UnreadTransaction {
  readonly transactionHash: string;
  readonly block: BlockRef;
  readonly why: string;
}

/** A transfer in the block that one provider reported, for others to confirm. Order id as in the transfer. */
export interface Sighting
  extends Pick<
    DepositObservation,
    'fundingKey' | 'transactionHash' | 'currency' | 'amount' | 'depositor' | 'orderId' | 'sentBy'
  > {
  readonly block: Pick<BlockRef, 'height' | 'id'>;
  readonly providers: number;
}

/**
 * What a watcher learnt since the cursor, committed together with the new cursor.
 *
 * Invariant: the batches of any run from any durable cursor, including one from before a crash or a reorg, lead to
 * the same observations.
 */
export interface DepositBatch {
  /** Opaque to core. Passing it to `watchDeposits` resumes after this batch. */
  readonly cursor: string;
  readonly head: BlockRef;
  /** Newest final block. Observations at or below it are final. */
  readonly finalized: BlockRef;
  /**
   * A reorg replaced the chain above this height: `included` observations above it are vanished unless this batch
   * repeats them.
   */
  readonly rewoundTo?: number;
  readonly deposits: readonly DepositObservation[];
  /**
   * Payers' own executions; absent: none. Those above `rewoundTo` that are not repeated have vanished. Reported once
   * more when final.
   */
  readonly executions?: readonly ExecutionObservation[];
  /** Height read so far, if below the head: nothing above it is known yet. */
  readonly readTo?: number;
  /**
   * Height up to which all is listed and transfers naming a promised order are read, while `readTo` waits for single
   * transactions. Absent: `readTo`. Chains whose watcher stays behind in this are not quoted.
   */
  readonly listedTo?: number;
  /**
   * Everything above this height up to `readTo` (or the head) is in the batch: an `included` observation there that it
   * does not repeat has vanished. A batch committed in part, without its cursor, leaves observations that no reorg
   * rewinds. Absent: blocks are not reported in order, and a run's first batches repeat everything above `rewoundTo`.
   */
  readonly readFrom?: number;
  /** Possible transfers that cannot be read; reported to an operator while the cursor moves on. */
  readonly unread?: readonly UnreadTransaction[];
}

export interface DepositStepItem {
  /**
   * Input of the client's wallet adapter (`from`, `to`, `data`, `value`, gas fields; decimal strings). `chainId`, a number,
   * in every family.
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
  /** What leaves the payer's account, smallest unit; less arrives with a `transferFee`. */
  readonly amount: bigint;
  readonly orderId: OrderId;
  /** A transfer of the currency itself, which names the order; only with `transferDeposits`. */
  readonly byTransfer?: true;
  /**
   * With `byTransfer`, only with `nonceMappings`: the transfer names no order and is the payer's transaction with this
   * nonce (decimal), so it is the only one of the steps.
   */
  readonly nonce?: string;
  /** Canonical address that pays the network fee instead of the payer; only with `depositFeePayer`. */
  readonly feePayer?: string;
  /** From `payerUtxos`, for this payer and amount; without it the steps only name what is to be paid. */
  readonly funds?: string;
  /** The transaction limits its own work (`includeComputeUnitLimit`); ignored on chains without such an instruction. */
  readonly limitsWork?: boolean;
}

export interface PayerFundsWish {
  /** Canonical address. */
  readonly payer: string;
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
