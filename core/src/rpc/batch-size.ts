/** Full batches answered before a larger one is tried; doubled each time that the larger one is refused again. */
const FIRST_STREAK = 64;
const LONGEST_STREAK = 256;

/**
 * Most calls of a batch, as one provider takes them: half of what it refused twice without answering as many in between, and
 * slowly more again, by a half after a streak of full batches. A refusal may have been an outage, or a block that one of the
 * provider's nodes did not have yet, so none is for good.
 */
export class BatchSize {
  readonly #most: number;
  #now: number;
  #streak = 0;
  #needed = FIRST_STREAK;
  #hasGrown = false;
  /** Size of a batch that was refused once. */
  #suspected = Number.POSITIVE_INFINITY;

  constructor(most: number) {
    this.#most = most;
    this.#now = most;
  }

  get now(): number {
    return this.#now;
  }

  answered(calls: number): void {
    if (calls >= this.#suspected) this.#suspected = Number.POSITIVE_INFINITY;
    if (this.#now === this.#most || calls < this.#now) return;
    this.#streak += 1;
    if (this.#streak < this.#needed) return;
    this.#streak = 0;
    if (this.#hasGrown) this.#needed = FIRST_STREAK;
    this.#hasGrown = true;
    this.#now = Math.min(this.#most, this.#now + Math.max(1, this.#now >> 1));
  }

  /** A batch was refused of which one call alone is answered. */
  refused(calls: number): void {
    const isFirst = this.#suspected === Number.POSITIVE_INFINITY;
    this.#suspected = Math.min(this.#suspected, calls);
    if (isFirst) return;
    if (this.#hasGrown) this.#needed = Math.min(this.#needed * 2, LONGEST_STREAK);
    this.#hasGrown = false;
    this.#streak = 0;
    this.atMost(calls >> 1);
  }

  atMost(calls: number): void {
    this.#now = Math.max(1, Math.min(this.#now, calls));
  }

  /** One call was to blame for the refusals, not how many they were. */
  restore(size: number): void {
    this.#suspected = Number.POSITIVE_INFINITY;
    this.#now = Math.max(this.#now, size);
  }
}
