import type { FailReason } from '../errors/fail-reasons.js';
import type { Asker, CostEstimate } from './chain-costs.js';
import type { DepositStep } from './deposits.js';
import type { Hex, OrderId, UnixSeconds } from './ids.js';

export interface PermitWish {
  /** Canonical. */
  readonly payer: string;
  /** Canonical; never the native coin. */
  readonly currency: string;
  /** Smallest unit. */
  readonly amount: bigint;
  readonly orderId: OrderId;
  /** Last time at which the deposit may be made. */
  readonly deadline: UnixSeconds;
}

/** EIP-712, as wallets take it. JSON-safe: numbers are decimal strings. */
export interface TypedData {
  readonly domain: Readonly<Record<string, string | number>>;
  readonly types: Readonly<Record<string, readonly { readonly name: string; readonly type: string }[]>>;
  readonly primaryType: string;
  readonly value: Readonly<Record<string, unknown>>;
}

export type PermitOffer =
  | {
      readonly is: 'offered';
      /** Name of the scheme in the family, for clients. */
      readonly kind: string;
      /** For clients, in addition to `kind`. */
      readonly api: 'swap' | 'user-swap';
      /** The payer's own transactions that are needed first. */
      readonly approvals: readonly DepositStep[];
      readonly sign: TypedData;
      /** Opaque, JSON-serialisable input of `judge`. */
      readonly terms: string;
    }
  /** No permit of this payer for this currency. */
  | { readonly is: 'refused'; readonly message: string }
  /** Nothing was learnt: ask again. */
  | { readonly is: 'unavailable'; readonly message: string };

export type PermitTrial =
  /** It would deposit now. */
  | { readonly is: 'done'; readonly call: { readonly to: string; readonly data: Hex } }
  /** Not with this signature, or not now. */
  | { readonly is: 'refused'; readonly reason: FailReason; readonly message: string }
  /** Nothing was learnt: ask again. */
  | { readonly is: 'unavailable'; readonly message: string };

/**
 * Deposits that a payer signs and the service sends, as `permit` legs from the lane of calls for others (`sends: ['call']`).
 *
 * Invariant: a signature moves the payer's currency into the depository under its order, once, with any sender; it can be
 * used for nothing else.
 */
export interface Permits {
  /** From memory; undefined while fees are unknown. `work` bounds the work of the transaction. */
  cost(currency: string): (CostEstimate & { readonly work: bigint }) | undefined;
  /** Never throws. */
  offer(wish: PermitWish, asker: Asker): Promise<PermitOffer>;
  /**
   * Checks signature, use, deadline, balance and allowance, and tries the deposit as the lane would send it now. Never throws,
   * for any signature.
   *
   * @param terms of an offer. @param work bound of its transaction.
   */
  judge(terms: string, signature: string, work: bigint, asker: Asker): Promise<PermitTrial>;
}
