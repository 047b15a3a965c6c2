/**
 * Sends of a lane that are under way while its next round begins: those of one round at a time.
 *
 * Invariant: a send that fails here fails the next round of the lane, as if that round had waited for it.
 */
export class LaneSends {
  #last: Promise<void> = Promise.resolve();
  #failure: { readonly error: unknown } | undefined;

  /**
   * Resolves once those before have ended and these have begun.
   * @throws what those before threw; these have begun all the same.
   */
  async begin(sends: () => Promise<void>): Promise<void> {
    await this.#last;
    const before = this.#takeFailure();
    this.#last = sends().catch((error: unknown) => {
      this.#failure = { error };
    });
    if (before) throw before.error;
  }

  /** @throws what has failed since the last call. */
  rethrow(): void {
    const failure = this.#takeFailure();
    if (failure) throw failure.error;
  }

  /** Resolves once nothing is under way. @throws what failed meanwhile. */
  async end(): Promise<void> {
    await this.#last;
    this.rethrow();
  }

  #takeFailure(): { readonly error: unknown } | undefined {
    const failure = this.#failure;
    this.#failure = undefined;
    return failure;
  }
}
