import type { ExactJson } from '@causeway/core';
import type { Patience } from './asking/breaker.js';
import type { Room } from './asking/gate.js';
import type { Timeouts } from './http/exchange.js';
import type { PresetName } from './shapes/presets.js';
import type { Pointers } from './shapes/shape.js';

export interface SwapsHttpOptions {
  readonly shape: PresetName | 'json';
  readonly url?: string;
  /** Texts or key references. */
  readonly headers?: Readonly<Record<string, string>>;
  readonly query?: Readonly<Record<string, string>>;
  readonly json?: JsonShapeOptions;
  readonly chains: readonly ChainOptions[];
  readonly allowInside: boolean;
  readonly timeouts: Timeouts;
  readonly maxBytes: number;
  readonly maxCallBytes: number;
  readonly room: Room;
  readonly breaker: Patience;
  readonly keepMs: number;
  readonly work: number;
  readonly hops: number;
  readonly slippageBps: number;
  readonly standIn: string;
}

export interface ChainOptions {
  readonly id: number;
  readonly name?: string;
  readonly targets: readonly string[];
  readonly spenders?: readonly string[];
  readonly selectors?: readonly string[];
  readonly decimals?: Readonly<Record<string, number>>;
}

export interface JsonShapeOptions {
  readonly native?: string;
  readonly pays?: 'recipient' | 'payer';
  readonly exactInput?: WayOptions;
  readonly exactOutput?: WayOptions;
}

export interface WayOptions {
  readonly quote: AskOptions;
  readonly build?: AskOptions;
}

export interface AskOptions {
  readonly method?: 'GET' | 'POST';
  readonly path: string;
  readonly body?: ExactJson;
  readonly read: Pointers;
}
