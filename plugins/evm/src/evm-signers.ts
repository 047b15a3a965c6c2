import type { Secp256k1Signer } from '@causeway/core';
import type { TransactionSigner } from './signed-transaction.js';

export interface EvmSigners {
  readonly fill: TransactionSigner;
  /** Signs digests, so its key is here. */
  readonly allocator: Secp256k1Signer;
  /** Absent: no deposit addresses. */
  readonly sweeper?: TransactionSigner;
  /** Each with a lane of its own. None: no calls for others. */
  readonly executors?: readonly Secp256k1Signer[];
  /** Replaced fill signers: complete what they were given. */
  readonly former?: readonly TransactionSigner[];
  /** Another key by reference, for `setUp` only. */
  readonly byReference?: (reference: string) => TransactionSigner;
}
