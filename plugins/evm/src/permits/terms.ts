import type { Hex } from '@causeway/core';

export type PermitKind = 'eip3009' | 'eip2612' | 'permit2';

/** A token's EIP-712 domain, proven by its separator. */
export interface TokenDomain {
  readonly name: string;
  readonly version: string;
}

/** What a permit is about; JSON-safe. Addresses are lower case. */
export interface PermitTerms {
  readonly kind: PermitKind;
  readonly payer: Hex;
  readonly token: Hex;
  /** Smallest unit. */
  readonly amount: string;
  readonly orderId: Hex;
  /** Unix seconds. */
  readonly deadline: number;
  /** ERC-2612: the payer's count at the token. */
  readonly nonce?: string;
  /** Absent: Permit2. */
  readonly domain?: TokenDomain;
}
