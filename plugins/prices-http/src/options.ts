import type { Patience } from './patience.js';
import type { PresetName } from './shapes/presets.js';
import type { TimeUnit } from './shapes/shape.js';

export interface PricesHttpOptions extends Patience, RuleOptions {
  readonly providers: readonly ProviderOptions[];
  /** By asset group or `<chain id>:<currency address>`. */
  readonly currencies: Readonly<Record<string, CurrencyOptions>>;
  readonly pollMs: number;
  /** Random share of each pause, 0 to 1. */
  readonly jitter: number;
  readonly maxAgeMs: number;
  readonly timeoutMs: number;
  readonly maxBytes: number;
  readonly parallel: number;
}

export interface RuleOptions {
  readonly minProviders: number;
  readonly outlierBps: number;
  readonly jumpBps: number;
  readonly jumpQuorum: number;
  readonly jumpHoldMs: number;
}

export interface ProviderOptions {
  readonly id: string;
  readonly shape: PresetName | 'json';
  readonly url?: string;
  /** Texts or key references. */
  readonly headers?: Readonly<Record<string, string>>;
  readonly query?: Readonly<Record<string, string>>;
  readonly json?: JsonShapeOptions;
  readonly batch?: number;
  readonly pollMs?: number;
  readonly maxAgeMs?: number;
}

export interface JsonShapeOptions {
  readonly path: string;
  readonly price: string;
  readonly at?: string;
  readonly atUnit?: TimeUnit;
  readonly list?: string;
  readonly listId?: string;
  readonly error?: string;
}

export interface CurrencyOptions extends Partial<RuleOptions> {
  /** By provider: its id for the currency, and the quote asset when that is not USD. */
  readonly ids: Readonly<Record<string, string | { readonly id: string; readonly in?: string }>>;
}
