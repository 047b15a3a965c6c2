import type { ChainId, FundingKey, Hex, OrderId, RequestId } from '../contract/ids.js';
import type { PriceTerms } from './fees.js';
import type { OrderData } from './order.js';
import type { PayerSwapTerms } from './payer-swap.js';
import type { SourcedPrice } from './price-book.js';
import type { RequestType } from './request-type.js';
import type { SponsoredCall } from './sponsor-policy.js';
import type { SponsorComponent, SponsorTerms } from './sponsored-fees.js';
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
  /** Id of the reservation; absent: the request's. */
  readonly reservation?: RequestId;
  /** For screeners, on the origin chain (`ReadCall`); absent: those of the promise are the call's. */
  readonly callees?: readonly string[];
  /** Taken at the end, and what it covers of the fee, native smallest unit. Absent before, and where nothing landed. */
  readonly settled?: SponsoredAmount;
}

/** Amounts that an app balance pays or has reserved. */
export interface SponsoredAmount {
  /** Origin currency, smallest unit. */
  readonly units: string;
  /** Worth that when quoted; taken from the balance. */
  readonly microUsd: string;
}

/** Asked for by `POST /fast-fill`. */
export interface FastFillPromise {
  /** Whose app balance bears the risk. */
  readonly integratorId: string;
  /** Key that asked for it; absent in older rows. */
  readonly keyId?: string;
  /** Id of the reservation. */
  readonly reservation: RequestId;
  /** Micro-USD that may be at risk; absent: no bound. */
  readonly most?: string;
  /** Deposits of less are not filled fast, smallest unit; absent: no bound. */
  readonly least?: string;
  /** `open`: `risk` is reserved. `taken`: the deposit left the chain after its fill was signed. */
  readonly state: 'asked' | 'open' | 'taken' | 'released';
  /** Micro-USD, once it was reserved. */
  readonly risk?: string;
  /** Deposit that it was reserved for. */
  readonly fundingKey?: FundingKey;
}

/** Fees of a quote that an app balance pays. */
export interface SponsorPromise {
  readonly integratorId: string;
  /** Key of the quote; absent in older rows. */
  readonly keyId?: string;
  /** What the key's policy judges: `data` has the selector alone. Absent in older rows. */
  readonly calls?: readonly SponsoredCall[];
  readonly components: readonly SponsorComponent[];
  /** Of the client, micro-USD; absent: none. */
  readonly cap?: string;
  readonly capHit: boolean;
  /** The most that is reserved for it. */
  readonly quoted: SponsoredAmount;
  /** Counters of the key's policy, and their bounds in micro-USD. */
  readonly counters: readonly { readonly account: string; readonly most?: string }[];
  /** In the request only, as all that follow. Reservations made so far; absent: none. */
  readonly reservations?: number;
  /** Reserved now. */
  readonly open?: SponsoredAmount;
  /** Taken, once the fill was final. */
  readonly settled?: SponsoredAmount;
  /** Charged for the gas of fills that failed, micro-USD. */
  readonly burnt?: string;
  /** The balance was too low: the user paid. `terms` then name no sponsor. */
  readonly dropped?: true;
  /** Of the dropped terms. */
  readonly fees?: Pick<SponsorTerms, 'rent' | 'swap'>;
}

/** A deposit that the payer signs and the service sends (`Permits`). */
export interface PermitPromise {
  readonly kind: string;
  /** Of the offer. */
  readonly terms: string;
  /** Bounds the work of its transaction, as charged. */
  readonly work: string;
  /** Unix milliseconds. */
  readonly deadlineAt: number;
  /** In the request alone. */
  readonly accepted?: { readonly to: string; readonly data: Hex; readonly signature: string };
}

/** As the sources said it; `terms` has what was agreed. */
export interface QuotePrices {
  readonly origin: SourcedPrice;
  readonly destination: SourcedPrice;
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
  /** For those who ask why; nothing is decided by it. Absent: not known. */
  readonly prices?: QuotePrices;
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
  /** Absent: the payer sends its deposit. */
  readonly permit?: PermitPromise;
  /** For others: in place of an order, or it makes the order's deposit. */
  readonly call?: CallPromise;
  /** Id of the request that took over; only deposit addresses. */
  readonly supersededBy?: RequestId;
  /** Only the refund recipient is known any more; nothing can be filled. */
  readonly tombstone?: true;
  /** Absent: the user pays all fees. `terms.sponsor` has what is added to the output. */
  readonly sponsor?: SponsorPromise;
  /** In the request only. Absent: filled once the deposit is deep enough. */
  readonly fastFill?: FastFillPromise;
  /** Integrator whose app balance a transfer without an order tops up. */
  readonly appBalance?: string;
  /** 65 bytes r, s, v; present when the client asked for protocol data. */
  readonly orderSignature?: Hex;
}
