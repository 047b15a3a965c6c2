import type { AskedAuthorization } from '../contract/chain-capabilities.js';
import type { ChainId } from '../contract/ids.js';
import type { TradeType } from '../domain/quote.js';

/**
 * Body of `POST /quote/v2` after its shape was checked. Fields that
 * need no more than that are not listed; unknown ones are ignored. What the schema of the body guarantees must be
 * assignable to it.
 */
export interface QuoteAsk {
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
  /** Checked here and not by shape: what is wrong with them has an error code of its own. */
  readonly slippageTolerance?: unknown;
  readonly latePaymentSlippageTolerance?: unknown;
  readonly includeProtocolData?: boolean;
  /** Seconds from the quote. */
  readonly ttl?: number;
  readonly appFees?: readonly { readonly recipient: string; readonly fee: string | number }[];
  readonly txs?: readonly AskedCall[];
  /** Most work of all `txs` together, in the destination's unit. */
  readonly txsGasLimit?: number;
  readonly authorizationList?: readonly AskedAuthorization[];
  readonly gasLimitForDepositSpecifiedTxs?: number;
  readonly useDepositAddress?: boolean;
  readonly strict?: boolean;
  readonly recoveryAddress?: string;
  readonly usePermit?: boolean;
  readonly explicitDeposit?: boolean;
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
  readonly includedSwapSources?: readonly string[];
  readonly includedOriginSwapSources?: readonly string[];
  readonly includedDestinationSwapSources?: readonly string[];
  readonly excludedSwapSources?: readonly string[];
  readonly disableOriginSwaps?: boolean;
  /** Most pools that a swap may pass; 0: any number. */
  readonly maxRouteLength?: number;
  /** Deliver what the solver has where it cannot be exchanged for what was asked for. */
  readonly useFallbacks?: boolean;
  /** What an exact output turns out not to take stays with the solver. */
  readonly enableTrueExactOutput?: boolean;
  readonly overridePriceImpact?: boolean;
  /** Gas that the payer's wallet adds to each of its transactions. */
  readonly originGasOverhead?: number | string;
  readonly fixedRate?: string;
  /** Pays the network fee of the deposit; another than `user`. */
  readonly depositFeePayer?: string;
  readonly includeComputeUnitLimit?: boolean;
  readonly additionalData?: { readonly userPublicKey?: string };
}

/** A call to make on the destination chain with what is delivered. */
export interface AskedCall {
  readonly to: string;
  /** Native coin, smallest unit: decimal, or hex after `0x`. */
  readonly value: string;
  readonly data: string;
  /** What the client's own call had for a value before it was made one of these; no more than a note. */
  readonly originalTxValue?: string;
}

/** Who asks, as far as quoting cares. */
export interface QuoteCaller {
  readonly keyId: string | null;
  /** Whoever asks, as limits tell callers apart: a key, or a network. */
  readonly party: string;
  /** Whom the caller is one of, who share so many times what one party has. Absent: nobody. */
  readonly crowds?: readonly { readonly party: string; readonly times: number }[];
  /** UUIDs of the private chains that the caller may use. */
  readonly granted: readonly string[];
}
