import type { Currency } from '../../contract/currency.js';
import type { UnixMs } from '../../contract/ids.js';
import type { PriceSource } from '../../contract/prices.js';
import type { KitHarness } from '../report-types.js';

export type PriceAbility =
  /** External prices that change and age: `publish`, `silence`, `garble`. */
  'upstream';

/** Written by the author of a price source to drive the kit. */
export interface PriceHarness extends KitHarness {
  readonly lacks: Readonly<Partial<Record<PriceAbility, string>>>;
  /** Started: available prices are present. */
  readonly source: PriceSource;
  /** Currencies with their present price as exact decimal text. At least two that differ. */
  readonly known: readonly { readonly currency: Currency; readonly usd: string }[];
  /** Currencies without a price. */
  readonly unknown: readonly Currency[];
  /** The source's own clock. */
  now(): UnixMs;
  requests(): number;
  pass(ms: number): Promise<void>;
  /** `upstream`: age at which a price is stale. */
  readonly staleAfterMs: number;
  /** `upstream`: sets a price; resolves once the source had time to learn it. */
  publish?(currency: Currency, usd: string): Promise<void>;
  /** `upstream`: while true, no answers. */
  silence?(on: boolean): void;
  /** `upstream`: while true, invalid prices: text, zero, negative, empty. */
  garble?(on: boolean): void;
}
