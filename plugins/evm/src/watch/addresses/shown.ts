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

export function addressIn(key: string): string {
  return key.slice(0, key.indexOf(':'));
}

export function accountKey({ address, currency }: Account): string {
  return `${address}:${currency}`;
}
