import type { DestinationCall } from './chain-capabilities.js';
import type { CostEstimate } from './chain-costs.js';
import type { DepositStep } from './deposits.js';
import type { BlockRef, ChainId, Hex, OrderId, UnixSeconds } from './ids.js';
import type { SwapOutput } from './legs.js';

export interface PayerSwap {
  readonly orderId: OrderId;
  /** Canonical address, like all addresses here. */
  readonly payer: string;
  readonly recipient: string;
  readonly input: string;
  /** Total input including the fee, smallest unit. */
  readonly amountIn: bigint;
  readonly output: string;
  /** Minimum increase of the recipient's balance; otherwise the transaction reverts. */
  readonly least: bigint;
  readonly deadline: UnixSeconds;
  /** Part of the input paid to the solver; null: none. */
  readonly fee: { readonly to: string; readonly amount: bigint } | null;
  /** Made by `PayerSwaps.account` with the input less the fee; empty: that goes to the recipient unswapped. */
  readonly calls: readonly DestinationCall[];
}

export type SwapDeposit = Omit<PayerSwap, 'recipient' | 'fee'>;

export interface ExchangedRefund {
  readonly signer: string;
  readonly useKey: Hex;
  readonly recipient: string;
  readonly output: SwapOutput;
}

export interface PayerSwapCosts {
  readonly input: string;
  /** Of the calls, in the chain's unit (`SwapQuote.work`); 0 without calls. */
  readonly work: bigint;
  /** The output is deposited. */
  readonly deposits?: true;
  /** Gas that the payer's wallet adds to each transaction. */
  readonly overhead?: bigint;
}

/** Same-chain orders executed by users. The watcher reports them as `DepositBatch.executions`. */
export interface PayerSwaps {
  /** Unsigned transactions in order: approvals of exactly the input, then `swap`, or `send` without calls. No I/O. */
  steps(swap: PayerSwap): readonly DepositStep[];
  /** Makes the calls of this payer's order. Local work only. */
  account(orderId: OrderId, payer: string): string;
  /** Absent: deposits and refunds are never swapped. */
  readonly deposits?: SwapDeposits;
  /** Native coin, unbuffered. Undefined while fees are unknown. No I/O. */
  cost(costs: PayerSwapCosts): CostEstimate | undefined;
}

export interface SwapDeposits {
  readonly depositor: string;
  /** As `PayerSwaps.steps`, the last one `deposit`: the whole output, at least `least`, for the payer. No I/O. */
  steps(swap: SwapDeposit): readonly DepositStep[];
  /** Account that holds a refund and makes the calls of its swap (`RefundLeg.exchange`). Local work only. */
  refundAccount(refund: ExchangedRefund): string;
  /** Work of a refund with a swap beyond a plain refund and the swap's calls; rounded up. */
  readonly refundWork: bigint;
}

/** By the chain's own event. Anyone may execute under any id. */
export interface ExecutionObservation {
  /** Unique on this chain, and stable across reorgs. */
  readonly id: string;
  readonly chainId: ChainId;
  readonly transactionHash: string;
  readonly orderId: OrderId;
  readonly payer: string;
  readonly recipient: string;
  readonly input: string;
  /** Net input of the payer including the fee, smallest unit. */
  readonly amountIn: bigint;
  readonly output: string;
  /** Received by the recipient, smallest unit. */
  readonly amountOut: bigint;
  readonly feeTo: string;
  readonly fee: bigint;
  readonly state: 'included' | 'final';
  readonly block: BlockRef;
}

export interface RevertedExecution {
  readonly orderId: OrderId;
  /** Sender; for no other account was it an execution. */
  readonly payer: string;
  readonly block: BlockRef;
  /** Permanent. */
  readonly final: boolean;
  /** Revert reason, if the chain shows one. */
  readonly message: string | null;
}
