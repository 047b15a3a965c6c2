/**
 * Sends in flight while the lane's next round begins.
 *
 * Invariant: a failed send fails the next round, as if that had awaited it.
 */
export class LaneSends {
  #last: Promise<void> = Promise.resolve();
  #failure: { readonly error: unknown } | undefined;

  /**
   * Resolves once the earlier sends have ended and these have begun.
   * @throws errors of the earlier sends; these have begun anyway.
   */
  async begin(sends: () => Promise<void>): Promise<void> {
    await this.#last;
    const before = this.#takeFailure();
    this.#last = sends().catch((error: unknown) => {
      this.#failure = { error };
    });
    if (before) throw before.error;
  }

  /** @throws failures since the last call. */
  rethrow(): void {
    const failure = this.#takeFailure();
    if (failure) throw failure.error;
  }

  /** Resolves when nothing is in flight. @throws failures meanwhile. */
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
