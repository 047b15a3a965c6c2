import type { ChainId } from './ids.js';

/** A line of `stateChanges`, in the shape that public clients know. */
export interface StateChange {
  readonly address: string;
  readonly change: {
    readonly kind: 'token';
    /** Signed decimal text, smallest unit. */
    readonly balanceDiff: string;
    readonly data: { readonly tokenKind: 'ft'; readonly tokenAddress: string };
  };
}

export interface TransactionEntry {
  readonly txHash: string;
  /** Native smallest unit, decimal text. */
  readonly fee: string;
  readonly block: number;
  /** `onchain`. */
  readonly type: string;
  readonly chainId: ChainId;
  /** Unix seconds. */
  readonly timestamp: number;
  readonly status: 'success' | 'failure';
  readonly data: unknown;
  /** `StateChange[]`. */
  readonly stateChanges: unknown;
  /** `data` or `stateChanges` is incomplete. Absent: complete. */
  readonly truncated?: true;
}

/** Maximum JSON bytes described of a transaction, whose sender decides how much there is. */
export const MAX_DESCRIBED_BYTES = 1_048_576;
