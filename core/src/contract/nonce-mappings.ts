import type { Asker } from './chain-costs.js';
import type { ChainId, Hex, OrderId, UnixMs } from './ids.js';
import type { TypedData } from './permits.js';

/** Sender of a transaction and the number that its chain gives each of the sender's transactions once. */
export interface SentBy {
  /** Canonical. */
  readonly account: string;
  /** Decimal, without leading zeros. */
  readonly nonce: string;
}

/** The transaction with this number is the deposit of this order. */
export interface NonceMapping extends SentBy {
  readonly orderId: OrderId;
  /** Chain that the wallet signed on; part of the signed data alone. */
  readonly signatureChainId: number;
}

export type NextNonce =
  /** Decimal. */
  | { readonly is: 'known'; readonly nonce: string }
  /** Nothing was learnt: ask again. */
  | { readonly is: 'unavailable'; readonly message: string };

/**
 * Payers name the order of a plain transfer by a signature instead of in the transaction. Transfers that name no order
 * are reported with `DepositObservation.sentBy`. Requires `transferDeposits`.
 *
 * Invariant: a chain includes at most one transaction of an account under a nonce.
 */
export interface NonceMappings {
  /** Of the account's next transaction; those that wait for inclusion count. Never rejects. */
  next(account: string, asker: Asker): Promise<NextNonce>;
  /** What the account signs; names its chain by `ChainFacts.name`. Local work only. */
  typedData(mapping: NonceMapping): TypedData;
  /** Why the account's key did not sign this; undefined: it did. Local work only; never throws, for any signature. */
  refuse(mapping: NonceMapping, signature: string): string | undefined;
}

/** Never changed or deleted. */
export interface NonceMappingRow {
  /** `<chain id>:<account>:<nonce>`: a transaction is the deposit of one order, for ever. */
  readonly id: string;
  /** An order has one such transaction, for ever. */
  readonly orderId: OrderId;
  readonly chainId: ChainId;
  readonly signatureChainId: number;
  /** Lower case. */
  readonly signature: Hex;
  readonly createdAt: UnixMs;
}
