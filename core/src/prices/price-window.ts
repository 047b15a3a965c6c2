import type { ChainAdapter } from '../contract/chain-adapter.js';
import type { Currency } from '../contract/currency.js';
import { divide } from '../domain/decimal.js';
import { parsePrice } from '../domain/money.js';
import { BPS } from '../domain/percent.js';
import type { PriceBook } from '../domain/price-book.js';

const MAX_SAMPLES = 60;

interface Sample {
  readonly at: number;
  readonly prices: ReadonlyMap<string, bigint>;
}

/** Prices of all configured currencies in a sliding window, in memory. Times without a fresh price are missing. */
export class PriceWindow {
  readonly #windowMs: number;
  readonly #prices: PriceBook;
  #samples: Sample[] = [];

  constructor(windowMs: number, prices: PriceBook) {
    this.#windowMs = windowMs;
    this.#prices = prices;
  }

  get everyMs(): number {
    return Math.ceil(this.#windowMs / MAX_SAMPLES);
  }

  /** @param now monotonic. */
  look(chains: Iterable<Pick<ChainAdapter, 'currencies'>>, now: number): void {
    const prices = new Map<string, bigint>();
    for (const chain of chains) {
      for (const currency of chain.currencies()) {
        const price = this.#prices.price(currency);
        if (price.ok) prices.set(nameOf(currency), parsePrice(price.usd));
      }
    }
    const from = now - this.#windowMs;
    this.#samples = [...this.#samples.filter(({ at }) => at > from), { at: now, prices }].slice(-MAX_SAMPLES - 1);
  }

  /** Range of a pair's price within the window, basis points of the lowest, rounded up; 0 while unknown. */
  rangeBps(input: Currency, output: Currency): number {
    const [a, b] = [nameOf(input), nameOf(output)];
    let low: readonly [bigint, bigint] | undefined;
    let high: readonly [bigint, bigint] | undefined;
    for (const { prices } of this.#samples) {
      const [paid, got] = [prices.get(a), prices.get(b)];
      if (paid === undefined || got === undefined || paid <= 0n || got <= 0n) continue;
      const ratio = [paid, got] as const;
      if (low === undefined || isLess(ratio, low)) low = ratio;
      if (high === undefined || isLess(high, ratio)) high = ratio;
    }
    if (low === undefined || high === undefined) return 0;
    const one = low[0] * high[1];
    const range = divide((high[0] * low[1] - one) * BPS, one, 'ceil');
    return Number(range < MAX_RANGE ? range : MAX_RANGE);
  }
}

const MAX_RANGE = 1_000_000n;

function isLess(a: readonly [bigint, bigint], b: readonly [bigint, bigint]): boolean {
  return a[0] * b[1] < b[0] * a[1];
}

function nameOf({ chainId, address }: Currency): string {
  return `${chainId}:${address}`;
}
