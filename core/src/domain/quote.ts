import type { ChainId, Hex, OrderId, RequestId } from '../contract/ids.js';
import type { PriceTerms } from './fees.js';
import type { OrderData } from './order.js';
import type { PayerSwapTerms } from './payer-swap.js';
import type { RequestType } from './request-type.js';
import type { SwapIn } from './swap-in.js';
import type { SwapOut } from './swap-out.js';

export type TradeType = 'EXACT_INPUT' | 'EXACT_OUTPUT' | 'EXPECTED_OUTPUT';

/** Amounts elsewhere are in this currency's smallest unit. */
export interface QuoteSide {
  readonly chainId: ChainId;
  readonly currency: string;
  readonly symbol: string;
  readonly decimals: number;
}

export interface TopUpPromise {
  readonly currency: string;
  readonly symbol: string;
  readonly decimals: number;
  /** Smallest unit, as `minimumAmount`. */
  readonly amount: string;
  /** If a price move leaves less than this, its cost is refunded instead. */
  readonly minimumAmount: string;
  /** USD per whole unit when quoted. */
  readonly usd: string;
  /** Spread within `terms.topUp.value`, basis points of the rest. */
  readonly spreadBps: number;
  /** Maximum work of its transaction, as charged; absent: only the service determines it. */
  readonly work?: string;
  /** Delivered atomically with the fill for the order's calls. Absent: after the fill, separately. */
  readonly inFill?: true;
}

/** Which swaps a client lets a quote use. */
export interface SwapChoice {
  readonly includedSwapSources?: readonly string[];
  readonly includedOriginSwapSources?: readonly string[];
  readonly includedDestinationSwapSources?: readonly string[];
  readonly excludedSwapSources?: readonly string[];
  readonly disableOriginSwaps?: boolean;
  /** Maximum pools per swap; 0: no limit. */
  readonly maxRouteLength?: number;
}

/** The deposit address of a quote. */
export interface AddressPromise {
  readonly address: string;
  readonly type: 'strict' | 'open';
  /** Input of its derivation: the id of the request that it was made for. */
  readonly salt: Hex;
  /** Recipient of the money if the recipient or the user is blocked later; null: none. */
  readonly recoveryAddress: string | null;
  /** For an open address, whose transfers are quoted again: its choice of swaps. Absent: all swaps are allowed. */
  readonly swaps?: SwapChoice;
}

/** A call for others (`RawCalls`), in place of an order. */
export interface CallPromise {
  /** Canonical. */
  readonly to: string;
  readonly data: Hex;
  /** From `Authorizations.read`. */
  readonly authorizations: readonly Hex[];
  /** Whose app balance pays. */
  readonly integratorId: string;
  /** Micro-USD: the most that it takes from the balance. */
  readonly reserved: string;
  /** Counters of the key's policy that the reservation is in. */
  readonly caps: readonly string[];
  /** Expected fee, native smallest unit. */
  readonly fee: string;
}

/** Frozen at creation and copied into the request. Stored as JSON: amounts are decimal strings in the smallest unit. */
export interface QuoteBody {
  readonly version: 1;
  readonly requestId: RequestId;
  readonly orderId: OrderId;
  readonly tradeType: TradeType;
  readonly requestType: RequestType;
  readonly user: string;
  readonly recipient: string;
  readonly refundTo: string | null;
  /** Who refunds go to: `refundTo`, else `user`. Fixed for ever. */
  readonly refundRecipient: string;
  readonly origin: QuoteSide;
  readonly destination: QuoteSide;
  readonly amountIn: string;
  /** What leaves the payer's account so that `amountIn` arrives; absent: the same. */
  readonly sent?: string;
  readonly amountOut: string;
  readonly minimumAmount: string;
  /** The same for a deposit past the validity, if the client set `latePaymentSlippageTolerance`. */
  readonly lateMinimumAmount?: string;
  readonly slippageBps: number;
  /** All terms of the fee function, so that arrived amounts re-price exactly as quoted. */
  readonly terms: PriceTerms;
  /** Origin currency, smallest unit. */
  readonly fees: {
    /** Payer's origin gas, native smallest unit. */
    readonly gas: string;
    readonly relayerGas: string;
    readonly relayerService: string;
    readonly app: string;
  };
  /**
   * Charged for opening the recipient's account, native smallest unit of the destination; absent if accounts cost
   * nothing.
   */
  readonly fillRent?: string;
  /** Maximum work of the fill's transaction, as charged; absent: only the service determines it. */
  readonly fillWork?: string;
  /** For the fill's calls (`FillLeg.authorizations`). Not part of the order; absent: none. */
  readonly authorizations?: readonly Hex[];
  /** Canonical destination addresses of call targets, authorization signers and their contracts, for screeners. */
  readonly callees?: readonly string[];
  /** Absent: none. Its cost is in `terms.topUp`. */
  readonly topUp?: TopUpPromise;
  readonly spreadBps?: number;
  /** Absent: the payer deposits what it pays with. */
  readonly swapIn?: SwapIn;
  /** Absent: the recipient gets the solver's payout unswapped. */
  readonly swapOut?: SwapOut;
  readonly payerSwap?: PayerSwapTerms;
  readonly order: OrderData;
  readonly expiresAt: number;
  readonly deadlineAt: number;
  readonly ttlAt: number | null;
  readonly timeEstimate: number;
  readonly features: readonly string[];
  readonly referrer: string | null;
  /** Local and testnet networks only: `referrer` `debug-force-refund` refunds whatever arrives. */
  readonly forceRefund: boolean;
  /** Absent: paid by a transaction that names the order. */
  readonly depositAddress?: AddressPromise;
  /** A transfer to an open deposit address, whose order is not quoted yet. */
  readonly unquoted?: true;
  /** No order but a call for others. */
  readonly call?: CallPromise;
  /** Id of the request that took over; only deposit addresses. */
  readonly supersededBy?: RequestId;
  /** Only the refund recipient is known any more; nothing can be filled. */
  readonly tombstone?: true;
  /** Integrator whose app balance a transfer without an order tops up. */
  readonly appBalance?: string;
  /** 65 bytes r, s, v; present when the client asked for protocol data. */
  readonly orderSignature?: Hex;
}
