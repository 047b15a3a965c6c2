import type { ChainId, FundingKey } from '@causeway/core';

/** A transfer to a deposit address: the sum that one transaction added to one account. */
export interface Funding {
  readonly signature: string;
  /** The address, or its token account. */
  readonly account: string;
}

const KEY = /^\d+:([1-9A-HJ-NP-Za-km-z]{64,88}):([1-9A-HJ-NP-Za-km-z]{32,44})$/;

/**
 * Unchanged by a reorg, as is the signature, which covers the account. Differs from the keys of the depository's
 * deposits, which end in a path of digits.
 */
export function fundingKeyAt(chainId: ChainId, { signature, account }: Funding): FundingKey {
  return `${chainId}:${signature}:${account}`;
}

/** Undefined for a key of another kind of deposit. */
export function readFunding(key: FundingKey): Funding | undefined {
  const [, signature, account] = KEY.exec(key) ?? [];
  return signature === undefined || account === undefined ? undefined : { signature, account };
}
