/** Positive proof that a request failed (G7). A lost send, a silent provider or a missing receipt proves nothing. */
export type FailureEvidence =
  /** The single-use key is finally spent without the leg's effect: no bytes under it can land any more. */
  | { readonly kind: 'keyClosed'; readonly key: string }
  /** The service's or the payer's transaction is final and reverted. */
  | { readonly kind: 'revertedFinal'; readonly hash: string }
  /** Every provider refused the bytes for a defect in the bytes themselves: no node will ever accept them. */
  | { readonly kind: 'rejectedBeforePool'; readonly message: string }
  /** The deposit is no longer on the canonical chain, or failed on it. */
  | { readonly kind: 'depositVanished'; readonly fundingKey: string }
  /** A conflicting spend of the deposit's inputs or ancestors is in the final block `rival`. */
  | { readonly kind: 'rivalConfirmed'; readonly fundingKey: string; readonly rival: string }
  /** The payer's own execution is no longer on the canonical chain. */
  | { readonly kind: 'executionVanished'; readonly execution: string }
  /** Nothing can be refunded automatically. */
  | { readonly kind: 'nothingOwed'; readonly reason: string }
  /**
   * The configured confirmation time is over. Only for an unconfirmed deposit, never for something the service sent.
   */
  | { readonly kind: 'timeout'; readonly fundingKey: string; readonly afterMs: number };

export type EvidenceKind = FailureEvidence['kind'];
