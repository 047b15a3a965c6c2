import type { ChainId, RequestId, UnixMs } from './ids.js';

/**
 * A payer's own execution. Nothing is owed for it and it is in no pot; only a fee to the solver is booked, once
 * final.
 */
export interface ExecutionRow {
  readonly id: string;
  readonly version: number;
  readonly requestId: RequestId;
  readonly chainId: ChainId;
  readonly transactionHash: string;
  readonly state: 'included' | 'final' | 'vanished';
  /** Null while no block includes it. */
  readonly height: number | null;
  readonly blockId: string | null;
  readonly blockTime: UnixMs | null;
  /** Paid by the payer, including the fee. */
  readonly amountIn: bigint;
  /** Received by the recipient. */
  readonly amountOut: bigint;
  /** Received by the solver. */
  readonly fee: bigint;
  readonly seenAt: UnixMs;
}
