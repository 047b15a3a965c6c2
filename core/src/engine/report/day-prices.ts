import type { ChainId, UnixMs } from '../../contract/ids.js';
import { counter } from '../../domain/accounts.js';
import { decimalText } from '../../domain/decimal.js';
import { PRICE_DIGITS, parsePrice } from '../../domain/money.js';
import { commit, type EngineContext, type WorkContext } from '../base/context.js';
import { UnitOfWork } from '../base/unit-of-work.js';

/** Stores the first price of each currency on each UTC day, for reports. One row per currency and day stays. */
export async function noteDayPrices(context: WorkContext): Promise<void> {
  const day = dayOf(context.clock.now());
  const known = new Set((await context.store.pots(counter.dayPrices(day))).map(({ account }) => account));
  const unit = new UnitOfWork();
  for (const chain of context.chains.values())
    for (const currency of chain.currencies()) {
      const price = context.prices.price(currency);
      const name = counter.dayPrice(day, currency.chainId, currency.address);
      if (!price.ok || known.has(name)) continue;
      const scaled = parsePrice(price.usd);
      // The bound refuses a second writer of the same day.
      unit.count({ account: name, by: scaled, atMost: scaled });
    }
  await commit(context, 'engine.dayPrices', unit);
}

/** UTC. */
export function dayOf(at: UnixMs): string {
  return new Date(at).toISOString().slice(0, 10);
}

/** Prices of days, read once each. */
export class DayPrices {
  readonly #days = new Map<string, Promise<ReadonlyMap<string, bigint>>>();

  constructor(readonly store: EngineContext['store']) {}

  /** USD per whole unit; undefined where none was noted. */
  async at(day: string, chainId: ChainId, currency: string): Promise<string | undefined> {
    const scaled = (await this.#read(day)).get(counter.dayPrice(day, chainId, currency));
    return scaled === undefined ? undefined : decimalText(scaled, PRICE_DIGITS);
  }

  #read(day: string): Promise<ReadonlyMap<string, bigint>> {
    const known = this.#days.get(day);
    if (known !== undefined) return known;
    const read = this.store
      .pots(counter.dayPrices(day))
      .then((pots) => new Map(pots.map(({ account, amount }) => [account, amount])));
    this.#days.set(day, read);
    return read;
  }
}
