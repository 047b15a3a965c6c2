import type { AskedAuthorization } from '../contract/chain-capabilities.js';
import type { ChainId } from '../contract/ids.js';
import type { SwapChoice, TradeType } from '../domain/quote.js';

/** The schema's type must be assignable to it. Omits fields that need no further checks. */
export interface QuoteAsk extends SwapChoice {
  readonly user: string;
  readonly recipient?: string;
  readonly originChainId: ChainId;
  readonly destinationChainId: ChainId;
  readonly originCurrency: string;
  readonly destinationCurrency: string;
  /** Smallest unit of the side that `tradeType` fixes. */
  readonly amount: string;
  readonly tradeType: TradeType;
  readonly refundTo?: string;
  readonly referrer?: string;
  /** Checked here, because invalid values have an error code of their own. */
  readonly slippageTolerance?: unknown;
  readonly latePaymentSlippageTolerance?: unknown;
  readonly includeProtocolData?: boolean;
  /** Seconds from the quote. */
  readonly ttl?: number;
  readonly appFees?: readonly { readonly recipient: string; readonly fee: string | number }[];
  readonly txs?: readonly AskedCall[];
  /** Maximum work of all `txs` together, in the destination's unit. */
  readonly txsGasLimit?: number;
  readonly authorizationList?: readonly AskedAuthorization[];
  readonly gasLimitForDepositSpecifiedTxs?: number;
  readonly useDepositAddress?: boolean;
  readonly strict?: boolean;
  readonly recoveryAddress?: string;
  readonly usePermit?: boolean;
  /** Seconds. */
  readonly permitExpiry?: number;
  readonly explicitDeposit?: boolean;
  readonly useNonceMapping?: boolean;
  readonly depositNonce?: number;
  readonly topupGas?: boolean;
  /** Micro-USD. */
  readonly topupGasAmount?: string;
  readonly useExternalLiquidity?: boolean;
  readonly forceSolverExecution?: boolean;
  readonly subsidizeFees?: boolean;
  readonly subsidizeRent?: boolean;
  readonly sponsoredFeeComponents?: readonly string[];
  /** Micro-USD. */
  readonly maxSubsidizationAmount?: string;
  /** If the swap fails, deliver the solver's currency unswapped. */
  readonly useFallbacks?: boolean;
  /** The solver keeps the unused input of an exact output. */
  readonly enableTrueExactOutput?: boolean;
  readonly overridePriceImpact?: boolean;
  /** Gas that the payer's wallet adds to each transaction. */
  readonly originGasOverhead?: number | string;
  readonly fixedRate?: string;
  /** Pays the network fee of the deposit in place of `user`. */
  readonly depositFeePayer?: string;
  readonly includeComputeUnitLimit?: boolean;
  readonly additionalData?: { readonly userPublicKey?: string };
}

export interface AskedCall {
  readonly to: string;
  /** Native coin, smallest unit: decimal, or hex after `0x`. */
  readonly value: string;
  readonly data: string;
  /** Informational: the value of the client's original call. */
  readonly originalTxValue?: string;
}

/** A limit that counts for the caller, and how many times it may be used by all whom it counts. */
export interface Share {
  readonly party: string;
  readonly times: number;
}

/** The caller's own limit, and those of the sets that contain it. */
export function sharesOf({ party, crowds = [] }: Pick<QuoteCaller, 'party' | 'crowds'>): readonly Share[] {
  return [{ party, times: 1 }, ...crowds];
}

export interface QuoteCaller {
  readonly keyId: string | null;
  /** Unit of limits: a key or a network. */
  readonly party: string;
  /** Sets that contain the caller and share a multiple of one party's limit. Absent: none. */
  readonly crowds?: readonly Share[];
  /** Whose app balance it may spend; absent: none. */
  readonly integratorId?: string;
  /** UUIDs of the private chains that the caller may use. */
  readonly granted: readonly string[];
}
