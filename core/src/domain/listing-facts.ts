import { featureBits } from './features.js';
import { isPrice, valueMicroUsd } from './money.js';
import type { QuoteBody } from './quote.js';

export interface ListingFacts {
  /** Bits of REQUEST_FEATURES. */
  readonly features: number;
  /** Quoted app fees in micro-USD; null when there are some and the input had no price. */
  readonly appFeesUsd: number | null;
}

export function listingFacts({ features, fees, terms }: Pick<QuoteBody, 'features' | 'fees' | 'terms'>): ListingFacts {
  return { features: featureBits(features), appFeesUsd: microUsd(BigInt(fees.app), terms.inDecimals, terms.inUsd) };
}

function microUsd(amount: bigint, decimals: number, usd: string): number | null {
  if (amount === 0n) return 0;
  if (!isPrice(usd)) return null;
  const value = valueMicroUsd(amount, decimals, usd, 'half');
  return value <= BigInt(Number.MAX_SAFE_INTEGER) ? Number(value) : Number.MAX_SAFE_INTEGER;
}
