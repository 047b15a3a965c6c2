import type { ChainId } from './ids.js';

/** Entry of `inTxs` / `outTxs` of the request record. */
export interface TransactionEntry {
  readonly txHash: string;
  /** Fee paid, native smallest unit, decimal text. */
  readonly fee: string;
  readonly block: number;
  /** `onchain`. */
  readonly type: string;
  readonly chainId: ChainId;
  /** Unix seconds. */
  readonly timestamp: number;
  readonly status: 'success' | 'failure';
  readonly data: unknown;
  readonly stateChanges: unknown;
}
