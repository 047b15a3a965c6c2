import type { ChainId } from '../contract/ids.js';

/** An account that holds the money of many people, as those of exchanges do. */
export interface Custodian {
  /** It finds out whose money came in by a text that comes with it, which no payment of this service has. */
  readonly needsMemo: boolean;
}

/** By chain and canonical address. */
export type Custodians = ReadonlyMap<ChainId, ReadonlyMap<string, Custodian>>;

/** Why a custodian could not tell whose money this service paid to it; undefined for everybody else. */
export function refuseCustodian(custodians: Custodians, chainId: ChainId, address: string): string | undefined {
  return custodians.get(chainId)?.get(address)?.needsMemo
    ? 'is an account of a custodian, who needs a memo to tell whose money came in; payments here have none'
    : undefined;
}
