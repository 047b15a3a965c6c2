/**
 * Overlaps a lane's work: its next pass begins while sends are in flight, and the next sends while their results are stored.
 *
 * Invariant: a failure of a send or of storing its result fails the next pass, as if that had awaited it.
 */
export class LaneSends {
  #sending: Promise<unknown> = Promise.resolve();
  #noting: Promise<void> = Promise.resolve();
  #before: Promise<void> = Promise.resolve();
  #failure: { readonly error: unknown } | undefined;

  /**
   * Resolves once the earlier sends have ended, all but the last are noted, and these have begun.
   * @throws errors of the earlier sends; these have begun anyway.
   */
  async begin<T>(send: () => Promise<T>, note: (sent: T) => Promise<void>): Promise<void> {
    await Promise.all([this.#sending, this.#before]);
    const before = this.#takeFailure();
    const failed = (error: unknown) => {
      this.#failure = { error };
    };
    const sending = send().then((sent) => ({ sent }), failed);
    this.#sending = sending;
    this.#before = this.#noting;
    this.#noting = Promise.all([sending, this.#before])
      .then(async ([done]) => done && (await note(done.sent)))
      .catch(failed);
    if (before) throw before.error;
  }

  /** @throws failures since the last call. */
  rethrow(): void {
    const failure = this.#takeFailure();
    if (failure) throw failure.error;
  }

  /** Resolves when nothing is in flight. @throws failures meanwhile. */
  async end(): Promise<void> {
    await this.#noting;
    this.rethrow();
  }

  #takeFailure(): { readonly error: unknown } | undefined {
    const failure = this.#failure;
    this.#failure = undefined;
    return failure;
  }
}
