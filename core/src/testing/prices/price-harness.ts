import type { Currency } from '../../contract/currency.js';
import type { UnixMs } from '../../contract/ids.js';
import type { PriceSource } from '../../contract/prices.js';
import type { KitHarness } from '../report-types.js';

export type PriceAbility =
  /** Prices come from elsewhere, change and grow old: `publish`, `silence`, `garble`. */
  'upstream';

/** What the author of a price source writes so that the kit can drive it. */
export interface PriceHarness extends KitHarness {
  readonly lacks: Readonly<Partial<Record<PriceAbility, string>>>;
  /** Started: prices that can be had are there. */
  readonly source: PriceSource;
  /** Currencies with a price now, and that price as exact decimal text. At least two that differ. */
  readonly known: readonly { readonly currency: Currency; readonly usd: string }[];
  /** Currencies that the source knows nothing about. */
  readonly unknown: readonly Currency[];
  /** The source's own clock. */
  now(): UnixMs;
  /** Calls that the source made to others so far. */
  requests(): number;
  /** Time passes for the source. */
  pass(ms: number): Promise<void>;
  /** `upstream`: from when on an old price is stale. */
  readonly staleAfterMs: number;
  /** `upstream`: another price from now on; resolves when the source had the time to learn it. */
  publish?(currency: Currency, usd: string): Promise<void>;
  /** `upstream`: while true, those who know the prices do not answer. */
  silence?(on: boolean): void;
  /** `upstream`: while true, they answer with what is no price: text, zero, a negative, nothing. */
  garble?(on: boolean): void;
}
