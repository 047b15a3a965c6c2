import type { ApplyOutcome, ChangeSet } from '../contract/store.js';

/** The lease of a round is not held any more: the round ends at once. */
export class LeaseLost extends Error {
  override readonly name = 'LeaseLost';

  constructor(scope: string, why: string) {
    super(`${scope}: ${why}`);
  }
}

/**
 * One holding of a lease, from claim to loss, and the only way to write for leased work.
 *
 * Invariant: `apply` puts the lease's fencing token into every change set, so the store refuses decisions of an
 * overtaken holder however late they arrive.
 */
export interface Tenure {
  readonly scope: string;
  /** Aborts when the lease is lost or the engine stops: no round and no send begins after that. */
  readonly ended: AbortSignal;
  /**
   * False from a margin before the lease expires, by the monotonic clock. Stays true while a stopping engine records
   * what is in flight.
   */
  held(): boolean;
  /** @throws LeaseLost when the lease is not held or was fenced off; nothing of the set was written. */
  apply(set: ChangeSet): Promise<ApplyOutcome>;
}
