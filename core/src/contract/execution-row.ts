import type { ChainId, RequestId, UnixMs } from './ids.js';

/**
 * What a payer executed by itself for a request. Nothing is owed for it and it is in no pot; only a fee that it paid to the solver
 * is booked, once it is final.
 */
export interface ExecutionRow {
  /** As the chain's watcher names it. */
  readonly id: string;
  readonly version: number;
  readonly requestId: RequestId;
  readonly chainId: ChainId;
  readonly transactionHash: string;
  readonly state: 'included' | 'final' | 'vanished';
  /** Of the block that includes it; null while none does. */
  readonly height: number | null;
  readonly blockId: string | null;
  readonly blockTime: UnixMs | null;
  /** What the payer gave, the fee among it. */
  readonly amountIn: bigint;
  /** What the recipient got. */
  readonly amountOut: bigint;
  /** What the solver got. */
  readonly fee: bigint;
  readonly seenAt: UnixMs;
}
