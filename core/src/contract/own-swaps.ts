import type { DestinationCall } from './chain-capabilities.js';
import type { CostEstimate } from './chain-costs.js';
import type { DepositStep } from './deposits.js';
import type { BlockRef, ChainId, OrderId, UnixSeconds } from './ids.js';

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

/** What the steps of an own swap will cost their payer. */
export interface OwnSwapCosts {
  readonly input: string;
  /** Of the calls, in the chain's own unit (`SwapQuote.work`); 0 where there are none. */
  readonly work: bigint;
  /** Gas that the payer's wallet adds to each of its transactions. */
  readonly overhead?: bigint;
}

/** Chains where users execute what stays within the chain. Told of by the watcher as `DepositBatch.executions`. */
export interface OwnSwaps {
  /** Unsigned transactions in order: approvals of exactly the input, then `swap`, or `send` without calls. Warm. */
  steps(swap: OwnSwap): readonly DepositStep[];
  /** Makes the calls of an order of this payer. Local work only. */
  account(orderId: OrderId, payer: string): string;
  /** Native coin, without a buffer. Undefined while fees are not known. Warm. */
  cost(costs: OwnSwapCosts): CostEstimate | undefined;
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
