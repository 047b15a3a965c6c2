import type { TonSigner } from './wallet.js';

export interface TonvmSigners {
  readonly fill: TonSigner;
  readonly vault: TonSigner;
  /** Undefined: no deposit addresses. */
  readonly sweeper?: TonSigner;
  readonly apiKeys?: ReadonlyMap<number, string>;
}
