import type { ChainId } from './ids.js';

/** A token or native coin on one chain, as configured. */
export interface Currency {
  readonly chainId: ChainId;
  /** Canonical address text; the chain's native sentinel for the native coin. */
  readonly address: string;
  readonly symbol: string;
  readonly name: string;
  readonly decimals: number;
  readonly isNative: boolean;
  /** Asset group for routing and pricing, e.g. `usd-coin`; currencies of one group are the same asset. */
  readonly group: string;
  readonly logoURI?: string;
  readonly verified: boolean;
  /** The token may refuse transfers (block lists): simulate a transfer to the recipient when quoting. */
  readonly transferCheck?: boolean;
  /**
   * The solver takes none of it as a deposit: payers swap it for something that is taken, within their deposit. Absent: it is
   * taken.
   */
  readonly isSwappedIn?: true;
}
