import type { ChainAdapter } from '../../contract/chain-adapter.js';
import type { Currency } from '../../contract/currency.js';
import { convert } from '../../domain/money.js';
import type { EngineContext } from '../base/context.js';

export type GasPriced =
  | { readonly ok: true; readonly gas: bigint }
  /** `unpriceable`: never has a price. `notYet`: no price now. */
  | { readonly ok: false; readonly why: 'unpriceable' | 'notYet' };

/** At current prices, rounded up to the smallest unit. */
export function inCurrency(
  context: Pick<EngineContext, 'prices'>,
  chain: ChainAdapter,
  currency: Currency,
  coin: bigint,
): GasPriced {
  const native = chain.facts.currency;
  if (currency.isNative && currency.chainId === native.chainId) return { ok: true, gas: coin };
  const [nativePrice, price] = [context.prices.price(native), context.prices.price(currency)];
  if (!nativePrice.ok || !price.ok) {
    const unknown = (!nativePrice.ok && nativePrice.why === 'unknown') || (!price.ok && price.why === 'unknown');
    return { ok: false, why: unknown ? 'unpriceable' : 'notYet' };
  }
  return { ok: true, gas: convert(coin, native.decimals, nativePrice.usd, currency.decimals, price.usd, 'ceil') };
}
