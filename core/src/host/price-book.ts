import type { PriceSource } from '../contract/prices.js';
import type { PriceBook } from '../domain/price-book.js';

/** In config order; the first source that knows a currency answers, even with a stale price. */
export function priceBook(sources: readonly PriceSource[]): PriceBook {
  return {
    price: (currency) => {
      for (const source of sources) {
        const answer = source.price(currency);
        if (answer === 'stale') return { ok: false, why: 'stale' };
        if (answer) return { ok: true, usd: answer.usd, at: answer.at, source: source.id };
      }
      return { ok: false, why: 'unknown' };
    },
  };
}
