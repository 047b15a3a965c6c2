import type { Currency } from '../contract/currency.js';
import { formatUnits, usdValueText } from '../domain/money.js';

export interface CurrencyView {
  readonly chainId: number;
  readonly address: string;
  readonly symbol: string;
  readonly name: string;
  readonly decimals: number;
  readonly metadata: { readonly logoURI: string; readonly verified: boolean; readonly isNative: boolean };
}

export interface AmountView {
  readonly currency: CurrencyView;
  readonly amount: string;
  readonly amountFormatted: string;
  readonly amountUsd: string;
  readonly minimumAmount: string;
}

export function currencyView(currency: Currency): CurrencyView {
  return Object.freeze({
    chainId: currency.chainId,
    address: currency.address,
    symbol: currency.symbol,
    name: currency.name,
    decimals: currency.decimals,
    metadata: Object.freeze({
      logoURI: currency.logoURI ?? '',
      verified: currency.verified,
      isNative: currency.isNative,
    }),
  });
}

/** @param usd price of one whole unit; null if unknown, shown as `0`. */
export function amountView(currency: CurrencyView, amount: bigint, usd: string | null, minimum = amount): AmountView {
  const text = amount.toString();
  return {
    currency,
    amount: text,
    amountFormatted: formatUnits(amount, currency.decimals),
    amountUsd: usd === null ? '0' : usdValueText(amount, currency.decimals, usd),
    minimumAmount: minimum === amount ? text : minimum.toString(),
  };
}
