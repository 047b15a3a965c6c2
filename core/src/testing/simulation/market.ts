import type { Clock } from '../../contract/clock.js';
import type { Currency } from '../../contract/currency.js';
import type { PriceBook } from '../../domain/price-book.js';

type Price = ReturnType<PriceBook['price']>;

const UNKNOWN: Price = { ok: false, why: 'unknown' };
const STALE: Price = { ok: false, why: 'stale' };

/** Prices by asset group, as the scenario moves them. Remembers the range each group was ever in, for the oracle. */
export class SimulatedMarket implements PriceBook {
  readonly #clock: Pick<Clock, 'now'>;
  readonly #usd = new Map<string, number>();
  readonly #range = new Map<string, { least: number; most: number }>();
  readonly #out = new Set<string>();

  /** @param prices micro-USD per whole unit, by group. */
  constructor(clock: Pick<Clock, 'now'>, prices: Readonly<Record<string, number>>) {
    this.#clock = clock;
    for (const [group, price] of Object.entries(prices)) this.set(group, price);
  }

  set(group: string, microUsd: number): void {
    this.#usd.set(group, microUsd);
    const range = this.#range.get(group) ?? { least: microUsd, most: microUsd };
    this.#range.set(group, { least: Math.min(range.least, microUsd), most: Math.max(range.most, microUsd) });
  }

  get(group: string): number {
    return this.#usd.get(group) ?? 0;
  }

  /** Prices of a group are too old (true) or fresh again (false). */
  outage(group: string, out: boolean): void {
    if (out) this.#out.add(group);
    else this.#out.delete(group);
  }

  /** Micro-USD per whole unit that a group ever had. */
  range(group: string): { readonly least: number; readonly most: number } {
    return this.#range.get(group) ?? { least: 0, most: 0 };
  }

  price(currency: Currency): Price {
    const microUsd = this.#usd.get(currency.group);
    if (microUsd === undefined) return UNKNOWN;
    if (this.#out.has(currency.group)) return STALE;
    const text = microUsd.toString().padStart(7, '0');
    return { ok: true, usd: `${text.slice(0, -6)}.${text.slice(-6)}`, at: this.#clock.now() };
  }
}
