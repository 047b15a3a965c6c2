import type { LegRow } from '../contract/store-rows.js';
import { convert } from '../domain/money.js';
import { chainOf, type EngineContext } from './context.js';
import { RELEASED } from './give-up.js';

type Net =
  | { readonly ok: true; readonly amount: bigint }
  /** `nothingLeft`: gas takes all. `unpriceable`: no price will ever come. `notYet`: no fee or price sample now. */
  | { readonly ok: false; readonly why: 'nothingLeft' | 'unpriceable' | 'notYet' };

/** What a refund pays out: its part of the deposit less the gas of sending it, at current prices, rounded up. */
export function refundAmount(context: EngineContext, leg: LegRow): Net {
  // An operator who releases a hold pays the gas of it.
  if (leg.reason?.startsWith(RELEASED)) return { ok: true, amount: leg.covers };
  const chain = chainOf(context, leg.chainId);
  const currency = chain.currency(leg.currency);
  if (!currency) return { ok: false, why: 'unpriceable' };
  const cost = chain.legCost(leg.kind, leg.currency, leg.recipient);
  if (!cost) return { ok: false, why: 'notYet' };
  let gas = cost.native;
  if (!currency.isNative) {
    const native = chain.facts.currency;
    const [nativePrice, price] = [context.prices.price(native), context.prices.price(currency)];
    if (!nativePrice.ok || !price.ok) {
      const unknown = (!nativePrice.ok && nativePrice.why === 'unknown') || (!price.ok && price.why === 'unknown');
      return { ok: false, why: unknown ? 'unpriceable' : 'notYet' };
    }
    gas = convert(cost.native, native.decimals, nativePrice.usd, currency.decimals, price.usd, 'ceil');
  }
  const amount = leg.covers - gas;
  return amount > 0n ? { ok: true, amount } : { ok: false, why: 'nothingLeft' };
}
