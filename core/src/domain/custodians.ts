import type { ChainId } from '../contract/ids.js';

export interface Custodian {
  /** It attributes incoming funds by a memo, which this service's payments lack. */
  readonly needsMemo: boolean;
}

export type Custodians = ReadonlyMap<ChainId, ReadonlyMap<string, Custodian>>;

export function refuseCustodian(custodians: Custodians, chainId: ChainId, address: string): string | undefined {
  return custodians.get(chainId)?.get(address)?.needsMemo
    ? 'is an account of a custodian that needs a memo to identify its customer; payments here have none'
    : undefined;
}
