import type { Clock } from '../../../src/contract/clock.js';
import type { PriceSource, UsdPrice } from '../../../src/contract/prices.js';

export interface PolledPricesOptions {
  /** Answers with `{ "<asset group>": "<decimal text>" }`. */
  readonly url: string;
  readonly everyMs: number;
  readonly staleAfterMs: number;
}

const DECIMAL = /^\d+(\.\d{1,30})?$/;

/** A price source that polls an upstream. */
export async function polledPrices(
  { url, everyMs, staleAfterMs }: PolledPricesOptions,
  clock: Clock,
): Promise<PriceSource & { stop(): void }> {
  const prices = new Map<string, UsdPrice>();
  const ask = async (): Promise<void> => {
    const at = clock.now();
    const answer: unknown = await (await fetch(url, { signal: AbortSignal.timeout(5_000) })).json();
    for (const [group, usd] of Object.entries(answer ?? {}))
      if (typeof usd === 'string' && DECIMAL.test(usd) && /[1-9]/.test(usd)) prices.set(group, { usd, at });
  };
  await ask();
  const stop = clock.every(everyMs, () => void ask().catch(() => undefined));
  return {
    id: 'polled',
    price: (currency) => {
      const price = prices.get(currency.group);
      if (price === undefined) return undefined;
      return clock.now() - price.at > staleAfterMs ? 'stale' : price;
    },
    stop,
  };
}
