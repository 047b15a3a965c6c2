import type { Clock } from '@causeway/core';
import type { Account } from './ledger.js';
import { accountIn, accountKey } from './shown.js';

/** Longest wait for a log index that lags behind the state. */
const MAX_MS = 1_000;
const RETRY_MS = 100;
/** Bounds what a token can cause that changes all balances without events. */
const MAX_ACCOUNTS = 500;

/**
 * Accounts with a new arrival that no event or transaction shows yet. They are read again soon, so that the arrival is
 * reported with its transaction, or after a second without it.
 *
 * Invariant: these arrivals are not in the ledger yet, so losing this list loses none of them.
 */
export class HeldBack {
  readonly #clock: Pick<Clock, 'monotonic'>;
  readonly #since = new Map<string, number>();

  constructor(clock: Pick<Clock, 'monotonic'>) {
    this.#clock = clock;
  }

  /** Milliseconds until they should be read again; undefined: there are none. */
  get retryMs(): number | undefined {
    return this.#since.size === 0 ? undefined : RETRY_MS;
  }

  accounts(): readonly Account[] {
    return [...this.#since.keys()].map(accountIn);
  }

  /** False: the arrival has to be reported now. */
  hold(account: Account): boolean {
    const key = accountKey(account);
    const now = this.#clock.monotonic();
    const since = this.#since.get(key);
    if (since !== undefined) return now - since < MAX_MS;
    if (this.#since.size >= MAX_ACCOUNTS) return false;
    this.#since.set(key, now);
    return true;
  }

  has(account: Account): boolean {
    return this.#since.has(accountKey(account));
  }

  release(account: Account): void {
    this.#since.delete(accountKey(account));
  }
}
