import type { ChainAdapter } from '../../contract/chain-adapter.js';
import type { Prepared, SignedTransaction } from '../../contract/legs.js';
import { NotSignedError } from '../../contract/not-signed.js';

export type SignOutcome =
  | { readonly ok: true; readonly prepared: Prepared; readonly transaction: SignedTransaction }
  /** `unsigned`: the signer gave nothing usable. */
  | { readonly ok: false; readonly why: 'unavailable'; readonly unsigned: true; readonly message: string };

/** A signer that gives nothing is no fault of the legs: nothing was learnt, and they stay due. */
export async function signPrepared(
  chain: Pick<ChainAdapter, 'sign'>,
  prepared: Prepared,
  signer: string,
): Promise<SignOutcome> {
  try {
    return { ok: true, prepared, transaction: await chain.sign(prepared, signer) };
  } catch (error) {
    // guard: unsigned-stays-due
    if (error instanceof NotSignedError)
      return { ok: false, why: 'unavailable', unsigned: true, message: error.message };
    throw error;
  }
}
