import type { ChainId, RequestId, UnixMs } from './ids.js';

/**
 * What a payer executed itself for a request. It is in no pot and nothing is owed for it; only a fee paid to the
 * solver is booked, once final.
 */
export interface ExecutionRow {
  /** As the watcher names it. */
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
