import type { ChainId, Hex, OrderId, RequestId } from '../contract/ids.js';
import type { PriceTerms } from './fees.js';
import type { OrderData } from './order.js';
import type { OwnSwapTerms } from './own-swap.js';
import type { RequestType } from './request-type.js';
import type { SwapIn } from './swap-in.js';
import type { SwapOut } from './swap-out.js';

export type TradeType = 'EXACT_INPUT' | 'EXACT_OUTPUT' | 'EXPECTED_OUTPUT';

/** One side of a quote. Amounts elsewhere are in this currency's smallest unit. */
export interface QuoteSide {
  readonly chainId: ChainId;
  /** Canonical currency address. */
  readonly currency: string;
  readonly symbol: string;
  readonly decimals: number;
}

/** Native coin of the destination that is delivered beside the output. */
export interface TopUpPromise {
  /** Canonical address of the native coin. */
  readonly currency: string;
  readonly symbol: string;
  readonly decimals: number;
  /** Smallest unit, as `minimumAmount`. */
  readonly amount: string;
  /** Where less would be delivered, as its price moved, what it took goes back. */
  readonly minimumAmount: string;
  /** USD per whole unit when it was quoted. */
  readonly usd: string;
  /** Part of `terms.topUp.value` that is taken for the risk of the price, hundredths of a per cent of the rest. */
  readonly spreadBps: number;
  /** Most work of its transaction that was charged for, in the destination's unit; absent where nobody decides about it. */
  readonly work?: string;
  /**
   * It goes with the fill, for the calls of the order to spend, and its recipient gets what they leave: both happen or none.
   * Absent: it goes to its recipient, in a transaction of its own, after the fill.
   */
  readonly inFill?: true;
}

/**
 * What a quote promises, frozen at creation and copied into the request it becomes. Stored as JSON, so
 * amounts are decimal strings in the smallest unit.
 */
export interface QuoteBody {
  readonly version: 1;
  readonly requestId: RequestId;
  readonly orderId: OrderId;
  readonly tradeType: TradeType;
  readonly requestType: RequestType;
  readonly user: string;
  readonly recipient: string;
  /** As asked by the client; null when omitted. */
  readonly refundTo: string | null;
  /** Who refunds go to: `refundTo`, else `user`. Fixed for ever. */
  readonly refundRecipient: string;
  readonly origin: QuoteSide;
  readonly destination: QuoteSide;
  readonly amountIn: string;
  /** What leaves the payer's account so that `amountIn` arrives; absent: the same. */
  readonly sent?: string;
  readonly amountOut: string;
  /** Least output that counts as a fill. */
  readonly minimumAmount: string;
  /** The same for a deposit past the validity, where the client named a tolerance for it (`latePaymentSlippageTolerance`). */
  readonly lateMinimumAmount?: string;
  readonly slippageBps: number;
  /** All terms of the fee function, so that arrived amounts re-price exactly as quoted. */
  readonly terms: PriceTerms;
  /** Fee components in origin currency, smallest unit. */
  readonly fees: {
    /** Payer's origin gas, native smallest unit. */
    readonly gas: string;
    readonly relayerGas: string;
    readonly relayerService: string;
    readonly app: string;
  };
  /**
   * What the fill was charged for an account of its recipient, native smallest unit of the destination; absent where accounts
   * cost nothing.
   */
  readonly fillRent?: string;
  /** Most work of the fill's transaction that was charged for, in the destination's unit; absent where nobody decides about it. */
  readonly fillWork?: string;
  /** What the fill's transaction carries for its calls (`FillLeg.authorizations`). No part of the order; absent: none. */
  readonly authorizations?: readonly Hex[];
  /** Canonical addresses on the destination that calls are made to and authorizations are of, for screeners; absent: none. */
  readonly callees?: readonly string[];
  /** Absent: no coin goes beside the output. What it takes is in `terms.topUp`. */
  readonly topUp?: TopUpPromise;
  /** Part of `terms.serviceBps` that is taken for the risk of the price; absent: none. */
  readonly spreadBps?: number;
  /** Absent: the payer deposits what it pays with. */
  readonly swapIn?: SwapIn;
  /** Absent: the recipient gets what the solver gives. */
  readonly swapOut?: SwapOut;
  /** Absent: it is paid into the depository, and filled. */
  readonly ownSwap?: OwnSwapTerms;
  readonly order: OrderData;
  readonly expiresAt: number;
  readonly deadlineAt: number;
  readonly ttlAt: number | null;
  readonly timeEstimate: number;
  readonly features: readonly string[];
  readonly referrer: string | null;
  /** Local and testnet networks only: `referrer` `debug-force-refund` refunds whatever arrives. */
  readonly forceRefund: boolean;
  /** The terms are gone: only the recipient of refunds is known any more, and nothing can be filled. */
  readonly tombstone?: true;
  /** 65 bytes r, s, v; present when the client asked for protocol data. */
  readonly orderSignature?: Hex;
}
