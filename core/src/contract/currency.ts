import type { ChainId } from './ids.js';

export interface Currency {
  readonly chainId: ChainId;
  /** Canonical address; the chain's native sentinel for the native coin. */
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
  /** Not accepted as a deposit: payers swap it within their deposit. Absent: accepted. */
  readonly isSwappedIn?: true;
}
