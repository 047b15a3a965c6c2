import type { RequestStatus } from '../domain/transitions.js';
import type { ChainId, UnixMs } from './ids.js';

/** A filter over requests. Absent means any; values of one list are OR'd, fields are AND'd. */
export interface RequestFilter {
  readonly id?: string;
  /** With `id`: also its child requests. */
  readonly includeChildren?: boolean;
  readonly orderId?: string;
  /** Sender or deposit-address depositor; canonical text. */
  readonly user?: string;
  readonly recipient?: string;
  readonly statuses?: readonly RequestStatus[];
  readonly originChainId?: ChainId;
  readonly destinationChainId?: ChainId;
  /** Either side. */
  readonly chainId?: ChainId;
  readonly hash?: { readonly role: 'deposit' | 'fill' | 'refund' | 'any'; readonly value: string };
  /** Inclusive bounds on createdAt. */
  readonly createdFrom?: UnixMs;
  readonly createdTo?: UnixMs;
  /** Hidden chains that this caller may see; requests of other hidden chains never match. */
  readonly hiddenChains: readonly ChainId[];
}

/** Keyset position: the last row of the previous page. */
export interface Keyset {
  readonly value: number;
  readonly id: string;
}

export interface RequestSearch {
  readonly filter: RequestFilter;
  readonly sortBy: 'createdAt';
  readonly direction: 'asc' | 'desc';
  readonly after?: Keyset;
  readonly limit: number;
  readonly total: boolean;
}

export interface Page<T> {
  readonly rows: readonly T[];
  /** Position of the last row; undefined on the last page. */
  readonly next?: Keyset;
  readonly total?: number;
}
