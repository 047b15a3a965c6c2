import type { ApplyOutcome, ChangeSet } from '../contract/store.js';

/** The lease that a round stood on is not held any more: the round ends where it is. */
export class LeaseLost extends Error {
  override readonly name = 'LeaseLost';

  constructor(scope: string, why: string) {
    super(`${scope}: ${why}`);
  }
}

/**
 * One holding of a lease, from its claim to its loss, and the only way to write that leased work has.
 *
 * Invariant: `apply` puts the lease's fence into every change set, so what a holder decided before it was overtaken
 * is refused by the store however late it arrives.
 */
export interface Tenure {
  readonly scope: string;
  /** Aborts when the lease is lost, and when the engine stops: no round and no send begins after that. */
  readonly ended: AbortSignal;
  /**
   * False from a margin before the lease runs out, by the monotonic clock. Stays true while a stopping engine still
   * records what is in flight.
   */
  held(): boolean;
  /** @throws LeaseLost when the lease is not held, or was fenced off. Nothing of the set was written then. */
  apply(set: ChangeSet): Promise<ApplyOutcome>;
}
