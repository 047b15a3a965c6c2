import type { TonSigner } from './wallet.js';

export interface TonvmSigners {
  readonly fill: TonSigner;
  readonly vault: TonSigner;
  /** Undefined: no deposit addresses. */
  readonly sweeper?: TonSigner;
  /** Replaced fill signers: complete what they were given. */
  readonly former?: readonly TonSigner[];
  readonly apiKeys?: ReadonlyMap<number, string>;
}
