import type { ChainAdapter } from '../../contract/chain-adapter.js';
import type { EngineContext } from '../../engine/base/context.js';
import { type GasPriced, inCurrency } from '../../engine/books/gas-price.js';

/** What a sweep costs, in the currency that it moves, smallest unit. Undefined: the chain's fees are not known now. */
export function sweepGas(
  context: Pick<EngineContext, 'prices'>,
  chain: ChainAdapter,
  address: string,
): GasPriced | undefined {
  const [currency, sweep] = [chain.currency(address), chain.legCost('sweep', address)];
  if (sweep === undefined) return undefined;
  return currency === undefined
    ? { ok: false, why: 'unpriceable' }
    : inCurrency(context, chain, currency, sweep.native);
}
