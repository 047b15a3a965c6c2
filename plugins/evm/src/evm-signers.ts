import type { Secp256k1Signer } from '@causeway/core';

export interface EvmSigners {
  readonly fill: Secp256k1Signer;
  readonly allocator: Secp256k1Signer;
  /** Absent: no deposit addresses. */
  readonly sweeper?: Secp256k1Signer;
  /** Each with a lane of its own. None: no calls for others. */
  readonly executors?: readonly Secp256k1Signer[];
  /** Replaced fill signers: complete what they were given. */
  readonly former?: readonly Secp256k1Signer[];
  /** Another key by reference, for `setUp` only. */
  readonly byReference?: (reference: string) => Secp256k1Signer;
}
