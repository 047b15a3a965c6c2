import type { DestinationCall } from './chain-capabilities.js';
import type { CostEstimate } from './chain-costs.js';
import type { DepositStep } from './deposits.js';
import type { BlockRef, ChainId, Hex, OrderId, UnixSeconds } from './ids.js';
import type { SwapOutput } from './legs.js';

/** Something within one chain that its payer executes with money of its own, in a transaction that names an order. */
export interface OwnSwap {
  readonly orderId: OrderId;
  /** Canonical address, as all of them here. */
  readonly payer: string;
  readonly recipient: string;
  readonly input: string;
  /** All that the payer gives, the fee among it, smallest unit. */
  readonly amountIn: bigint;
  readonly output: string;
  /** Least that the recipient gets, by its own balance, or nothing happens. */
  readonly least: bigint;
  readonly deadline: UnixSeconds;
  /** Part of the input that goes to an account of the solver; null: none. */
  readonly fee: { readonly to: string; readonly amount: bigint } | null;
  /** Made by `OwnSwaps.account`, which holds the rest of the input; empty: the rest goes to the recipient as it is. */
  readonly calls: readonly DestinationCall[];
}

/** What its payer swaps into the depository under an order, in one transaction; without a recipient and without a fee. */
export type SwapDeposit = Omit<OwnSwap, 'recipient' | 'fee'>;

/** A payment back that is exchanged on the way. */
export interface ExchangedRefund {
  /** Address that sends it. */
  readonly signer: string;
  readonly useKey: Hex;
  readonly recipient: string;
  readonly output: SwapOutput;
}

/** What the steps of an own swap will cost their payer. */
export interface OwnSwapCosts {
  readonly input: string;
  /** Of the calls, in the chain's own unit (`SwapQuote.work`); 0 where there are none. */
  readonly work: bigint;
  /** What comes out is deposited. */
  readonly deposits?: true;
  /** Gas that the payer's wallet adds to each of its transactions. */
  readonly overhead?: bigint;
}

/** Chains where users execute what stays within the chain. Told of by the watcher as `DepositBatch.executions`. */
export interface OwnSwaps {
  /** Unsigned transactions in order: approvals of exactly the input, then `swap`, or `send` without calls. Warm. */
  steps(swap: OwnSwap): readonly DepositStep[];
  /** Makes the calls of an order of this payer. Local work only. */
  account(orderId: OrderId, payer: string): string;
  /** Absent: what is paid is deposited as it is, and paid back so. */
  readonly deposits?: SwapDeposits;
  /** Native coin, without a buffer. Undefined while fees are not known. Warm. */
  cost(costs: OwnSwapCosts): CostEstimate | undefined;
}

/** Swaps on the way into the depository, and back. */
export interface SwapDeposits {
  /** Gets what the calls of a swap into the depository bring, and deposits it. */
  readonly depositor: string;
  /** As `OwnSwaps.steps`, the last one `deposit`: all that comes out is deposited, at least `least`, by the payer. Warm. */
  steps(swap: SwapDeposit): readonly DepositStep[];
  /** Makes the calls of a payment back that is exchanged (`RefundLeg.exchange`), and holds what is paid back. Local work only. */
  refundAccount(refund: ExchangedRefund): string;
  /** Work of a payment back with an exchange, beside the exchange and beside a plain one, in the chain's own unit; rounded up. */
  readonly refundWork: bigint;
}

/** An execution in a block, as the chain's own event tells of it. Anybody may execute under any id. */
export interface ExecutionObservation {
  /** Once-only name on this chain, the same at every look and in every block that includes it. */
  readonly id: string;
  readonly chainId: ChainId;
  readonly transactionHash: string;
  readonly orderId: OrderId;
  readonly payer: string;
  readonly recipient: string;
  readonly input: string;
  /** What the payer gave in the end, the fee among it, smallest unit. */
  readonly amountIn: bigint;
  readonly output: string;
  /** What the recipient got, smallest unit. */
  readonly amountOut: bigint;
  readonly feeTo: string;
  readonly fee: bigint;
  readonly state: 'included' | 'final';
  readonly block: BlockRef;
}

/** A transaction of somebody that was to execute an order, and reverted. */
export interface RevertedExecution {
  readonly orderId: OrderId;
  /** Who sent it: for none but this account was it an execution. */
  readonly payer: string;
  readonly block: BlockRef;
  /** Nothing takes it back any more. */
  readonly final: boolean;
  /** Why, as far as the chain tells. */
  readonly message: string | null;
}
