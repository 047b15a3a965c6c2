/** Positive proof (G7). A lost send, a silent provider or a missing receipt proves nothing. */
export type FailureEvidence =
  /** Finally spent without the leg's effect: no bytes under it can land any more. */
  | { readonly kind: 'keyClosed'; readonly key: string }
  | { readonly kind: 'revertedFinal'; readonly hash: string }
  /** Every provider refused a defect in the bytes themselves: no node will ever accept them. */
  | { readonly kind: 'rejectedBeforePool'; readonly message: string }
  | { readonly kind: 'depositVanished'; readonly fundingKey: string }
  /** A conflicting spend of the deposit's inputs or ancestors is in the final block `rival`. */
  | { readonly kind: 'rivalConfirmed'; readonly fundingKey: string; readonly rival: string }
  | { readonly kind: 'executionVanished'; readonly execution: string }
  | { readonly kind: 'nothingOwed'; readonly reason: string }
  /** The confirmation time is over. Only for an unconfirmed deposit, never for something the service sent. */
  | { readonly kind: 'timeout'; readonly fundingKey: string; readonly afterMs: number };

export type EvidenceKind = FailureEvidence['kind'];
