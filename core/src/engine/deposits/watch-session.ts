import type { Clock } from '../../contract/clock.js';
import type { FundingKey } from '../../contract/ids.js';
import { Patience } from '../base/patience.js';
import { DustFloor } from './dust.js';

const POISON_MS = 60_000;

/** What a watcher remembers while its lease lasts: whose turn it is, and what it cannot get through. */
export class WatchSession {
  readonly patience: Patience;
  readonly dust = new DustFloor();
  /**
   * Set once an observation could not be made durable: the cursor stays where it is, so that whoever watches next
   * sees it again. Everything else goes on.
   */
  pinned = false;
  readonly #poisoned = new Map<FundingKey, number>();
  readonly #clock: Pick<Clock, 'monotonic'>;

  constructor(clock: Pick<Clock, 'monotonic'>) {
    this.#clock = clock;
    this.patience = new Patience(clock);
  }

  /** A transfer whose decision throws: left alone for a while. */
  poison(fundingKey: FundingKey): void {
    this.#poisoned.set(fundingKey, this.#clock.monotonic() + POISON_MS);
  }

  isPoisoned(fundingKey: FundingKey): boolean {
    return (this.#poisoned.get(fundingKey) ?? Number.NEGATIVE_INFINITY) > this.#clock.monotonic();
  }
}
