import type { BlockRef } from '@causeway/core';
import type { Account } from './ledger.js';

/** A transfer to an address as the chain shows it. */
export interface Shown {
  /** Smallest unit. */
  readonly amount: bigint;
  readonly transactionHash: string;
  /** Lower case; empty if there is none. */
  readonly depositor: string;
  readonly block: BlockRef;
}

export function accountIn(key: string): Account {
  const at = key.indexOf(':');
  return { address: key.slice(0, at), currency: key.slice(at + 1) };
}

export function accountKey({ address, currency }: Account): string {
  return `${address}:${currency}`;
}
