import type { DepositObservation } from '../../contract/deposits.js';
import { valueMicroUsd } from '../../domain/money.js';
import type { EngineContext } from '../base/context.js';

/** Judged by the last known price. */
export class DustFloor {
  readonly #lastUsd = new Map<string, string>();

  /** False for a currency that never had a price. */
  covers(context: EngineContext, { chainId, currency, amount }: DepositObservation): boolean {
    const floor = context.policy.limits.dustMicroUsd;
    const known = context.chains.get(chainId)?.currency(currency);
    if (floor === 0n || !known) return false;
    const key = `${chainId}:${currency}`;
    const price = context.prices.price(known);
    if (price.ok) this.#lastUsd.set(key, price.usd);
    const usd = this.#lastUsd.get(key);
    return usd !== undefined && valueMicroUsd(amount, known.decimals, usd, 'ceil') < floor;
  }
}
