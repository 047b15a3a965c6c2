/** Full batches answered before a larger one is tried; doubled when that is refused again. */
const FIRST_STREAK = 64;
const MAX_STREAK = 256;

/**
 * Halved after two refusals without as many answers in between, grown by half after a streak of full batches. A
 * refusal is never permanent, because it may be an outage or a lagging backend.
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

  /** A batch was refused, but its first call was answered when sent alone. */
  refused(calls: number): void {
    const isFirst = this.#suspected === Number.POSITIVE_INFINITY;
    this.#suspected = Math.min(this.#suspected, calls);
    if (isFirst) return;
    if (this.#hasGrown) this.#needed = Math.min(this.#needed * 2, MAX_STREAK);
    this.#hasGrown = false;
    this.#streak = 0;
    this.atMost(calls >> 1);
  }

  atMost(calls: number): void {
    this.#now = Math.max(1, Math.min(this.#now, calls));
  }

  /** A single call caused the refusals, not the size. */
  restore(size: number): void {
    this.#suspected = Number.POSITIVE_INFINITY;
    this.#now = Math.max(this.#now, size);
  }
}
