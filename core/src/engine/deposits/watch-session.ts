import type { Clock } from '../../contract/clock.js';
import type { FundingKey } from '../../contract/ids.js';
import { Patience } from '../base/patience.js';
import { DustFloor } from './dust.js';

const FAILED_RETRY_DELAY_MS = 60_000;

export class WatchSession {
  readonly patience: Patience;
  readonly dust = new DustFloor();
  /** Set once an observation could not be made durable: the cursor stays, so that the next watcher sees it again. */
  pinned = false;
  #cursorAt = Number.NEGATIVE_INFINITY;
  readonly #poisoned = new Map<FundingKey, number>();
  readonly #clock: Pick<Clock, 'monotonic'>;
  readonly #cursorEveryMs: number;

  /** @param cursorEveryMs minimum milliseconds between writes of a cursor without news. */
  constructor(clock: Pick<Clock, 'monotonic'>, cursorEveryMs = 0) {
    this.#clock = clock;
    this.#cursorEveryMs = cursorEveryMs;
    this.patience = new Patience(clock);
  }

  cursorWritten(): void {
    this.#cursorAt = this.#clock.monotonic();
  }

  get isCursorDue(): boolean {
    return this.#clock.monotonic() - this.#cursorAt >= this.#cursorEveryMs;
  }

  /** A transfer whose decision throws is tried again after `FAILED_RETRY_DELAY_MS`. */
  poison(fundingKey: FundingKey): void {
    this.#poisoned.set(fundingKey, this.#clock.monotonic() + FAILED_RETRY_DELAY_MS);
  }

  isPoisoned(fundingKey: FundingKey): boolean {
    return (this.#poisoned.get(fundingKey) ?? Number.NEGATIVE_INFINITY) > this.#clock.monotonic();
  }
}
