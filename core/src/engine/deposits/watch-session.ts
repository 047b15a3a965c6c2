import type { Clock } from '../../contract/clock.js';
import type { FundingKey } from '../../contract/ids.js';
import { Patience } from '../base/patience.js';
import { DustFloor } from './dust.js';

const POISON_MS = 60_000;

/** What a watcher remembers while its lease lasts: which deposits are decided next, and which of them cannot be decided. */
export class WatchSession {
  readonly patience: Patience;
  readonly dust = new DustFloor();
  /**
   * Set once an observation could not be made durable: the cursor stays where it is, so that the next watcher sees the
   * observation again. Everything else goes on.
   */
  pinned = false;
  #cursorAt = Number.NEGATIVE_INFINITY;
  readonly #poisoned = new Map<FundingKey, number>();
  readonly #clock: Pick<Clock, 'monotonic'>;
  readonly #cursorEveryMs: number;

  /** @param cursorEveryMs least milliseconds between two writes of a cursor that records nothing but progress. */
  constructor(clock: Pick<Clock, 'monotonic'>, cursorEveryMs = 0) {
    this.#clock = clock;
    this.#cursorEveryMs = cursorEveryMs;
    this.patience = new Patience(clock);
  }

  /** A cursor is durable, as of now. */
  cursorWritten(): void {
    this.#cursorAt = this.#clock.monotonic();
  }

  /** Whether a cursor that records nothing but progress is worth a write; false shortly after the last write. */
  get isCursorDue(): boolean {
    return this.#clock.monotonic() - this.#cursorAt >= this.#cursorEveryMs;
  }

  /** A transfer whose decision throws: left alone for a while. */
  poison(fundingKey: FundingKey): void {
    this.#poisoned.set(fundingKey, this.#clock.monotonic() + POISON_MS);
  }

  isPoisoned(fundingKey: FundingKey): boolean {
    return (this.#poisoned.get(fundingKey) ?? Number.NEGATIVE_INFINITY) > this.#clock.monotonic();
  }
}
