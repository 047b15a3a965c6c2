import type { Clock } from '../../contract/clock.js';
import type { Currency } from '../../contract/currency.js';
import type { PriceBook } from '../../domain/price-book.js';
import { History } from './price-history.js';

type Price = ReturnType<PriceBook['price']>;

const UNKNOWN: Price = { ok: false, why: 'unknown' };
const STALE: Price = { ok: false, why: 'stale' };

/** Scenario prices by asset group, with depegs and a history for the oracle. */
export class SimulatedMarket implements PriceBook {
  readonly #clock: Pick<Clock, 'now' | 'monotonic'>;
  readonly #usd = new Map<string, number>();
  readonly #apart = new Map<string, { readonly group: string; readonly microUsd: number }>();
  readonly #range = new Map<string, { least: number; most: number }>();
  readonly #out = new Set<string>();
  /** By group, and by symbol prefixed with `$`. */
  readonly #reported = new Map<string, History>();

  /** @param prices micro-USD per whole unit, by group. */
  constructor(clock: Pick<Clock, 'now' | 'monotonic'>, prices: Readonly<Record<string, number>>) {
    this.#clock = clock;
    for (const [group, price] of Object.entries(prices)) this.set(group, price);
  }

  set(group: string, microUsd: number): void {
    this.#usd.set(group, microUsd);
    const range = this.#range.get(group) ?? { least: microUsd, most: microUsd };
    this.#range.set(group, { least: Math.min(range.least, microUsd), most: Math.max(range.most, microUsd) });
    this.#report(group);
  }

  part(symbol: string, group: string, microUsd: number): void {
    this.#apart.set(symbol, { group, microUsd });
    this.#report(group);
  }

  get(group: string): number {
    return this.#usd.get(group) ?? 0;
  }

  /** Prices of a group are stale (true) or fresh (false). */
  outage(group: string, out: boolean): void {
    if (out) this.#out.add(group);
    else this.#out.delete(group);
    this.#report(group);
  }

  /** All-time range, micro-USD per whole unit. */
  range(group: string): { readonly least: number; readonly most: number } {
    return this.#range.get(group) ?? { least: 0, most: 0 };
  }

  /** Range of a currency's reported prices in a period. */
  between({ symbol, group }: Currency, from: number, to: number): { readonly least: number; readonly most: number } {
    const reported = this.#reported.get(`$${symbol}`) ?? this.#reported.get(group);
    return reported?.between(from, to) ?? { least: 0, most: 0 };
  }

  price({ symbol, group }: Currency): Price {
    const microUsd = this.#apart.get(symbol)?.microUsd ?? this.#usd.get(group);
    if (microUsd === undefined) return UNKNOWN;
    if (this.#out.has(group)) return STALE;
    const text = microUsd.toString().padStart(7, '0');
    return { ok: true, usd: `${text.slice(0, -6)}.${text.slice(-6)}`, at: this.#clock.now() };
  }

  #report(group: string): void {
    if (this.#out.has(group)) return;
    this.#note(group, this.get(group));
    for (const [symbol, apart] of this.#apart)
      if (apart.group === group) this.#note(`$${symbol}`, apart.microUsd, this.#reported.get(group));
  }

  /** @param before history until the depeg. */
  #note(name: string, microUsd: number, before?: History): void {
    const history = this.#reported.get(name) ?? new History(before);
    history.note(this.#clock.monotonic(), microUsd);
    this.#reported.set(name, history);
  }
}
