/** Everything the fee function needs, frozen in the quote. JSON-safe: amounts are decimal strings. */
export interface PriceTerms {
  readonly inDecimals: number;
  readonly outDecimals: number;
  /** USD per whole unit, exact decimal text. Equal texts mean one asset: only decimals convert. */
  readonly inUsd: string;
  readonly outUsd: string;
  /** Fill, collect and sweep gas with its buffer, in the input currency's smallest unit. */
  readonly relayerGas: string;
  readonly serviceBps: number;
  /** Least service fee, input currency's smallest unit. */
  readonly serviceFloor: string;
  readonly appFees: readonly { readonly recipient: string; readonly bps: number }[];
}

export interface PricedAmounts {
  readonly amountIn: bigint;
  readonly amountOut: bigint;
  readonly relayerGas: bigint;
  readonly relayerService: bigint;
  /** One per `terms.appFees`, in order. */
  readonly app: readonly bigint[];
}

export type Priced =
  | { readonly ok: true; readonly amounts: PricedAmounts }
  | { readonly ok: false; readonly reason: 'NEGATIVE_NEW_AMOUNT_AFTER_FEES' };
