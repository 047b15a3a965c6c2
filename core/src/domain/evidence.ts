/**
 * Positive proof that a request failed (G7). Absence of evidence is never one of these: a send that was lost, a provider that does
 * not answer and a receipt that is missing prove nothing.
 */
export type FailureEvidence =
  /** The single-use key is spent, finally, without the leg's effect: no bytes under it can land any more. */
  | { readonly kind: 'keyClosed'; readonly key: string }
  /** Our transaction, or the payer's own, is final and reverted. */
  | { readonly kind: 'revertedFinal'; readonly hash: string }
  /** Every provider refused the bytes before its pool, for a reason in the bytes themselves: no node will ever take them. */
  | { readonly kind: 'rejectedBeforePool'; readonly message: string }
  /** The deposit is no longer on the canonical chain, or failed on it. */
  | { readonly kind: 'depositVanished'; readonly fundingKey: string }
  /** Another spend of the deposit's inputs, or of what it descends from, is in the block `rival`, which is final. */
  | { readonly kind: 'rivalConfirmed'; readonly fundingKey: string; readonly rival: string }
  /** What the payer executed is no longer on the canonical chain. */
  | { readonly kind: 'executionVanished'; readonly execution: string }
  /** Nothing can be paid back automatically, under this name. */
  | { readonly kind: 'nothingOwed'; readonly reason: string }
  /** The configured time to confirm is over. Proof for an unconfirmed deposit only, never for something that we sent. */
  | { readonly kind: 'timeout'; readonly fundingKey: string; readonly afterMs: number };

export type EvidenceKind = FailureEvidence['kind'];
