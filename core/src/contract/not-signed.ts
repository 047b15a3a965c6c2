/**
 * Rejects `sign` of a chain: a signer outside of the process gave nothing that may be sent, through no fault of the
 * transaction. Its legs stay due, and core asks again. Of what may have been signed, nothing is kept or sent.
 */
export class NotSignedError extends Error {
  override readonly name = 'NotSignedError';
}
