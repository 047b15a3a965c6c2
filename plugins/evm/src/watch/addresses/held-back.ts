import type { Clock } from '@causeway/core';
import type { Account } from './ledger.js';
import { accountIn, accountKey } from './shown.js';

/** A log index that lags behind the state by more is waited for no longer. */
const MAX_MS = 1_000;
const RETRY_MS = 100;
/** A token that changes all balances by itself shows none of it. */
const MAX_ACCOUNTS = 500;

/**
 * Accounts in which something arrived that no event or transaction shows yet. They are read again soon, so that what arrived
 * is reported with its transaction, and after a second without it.
 *
 * Invariant: nothing of them is known to the ledger, so that nothing is lost where this is.
 */
export class HeldBack {
  readonly #clock: Pick<Clock, 'monotonic'>;
  readonly #since = new Map<string, number>();

  constructor(clock: Pick<Clock, 'monotonic'>) {
    this.#clock = clock;
  }

  /** Until they should be read again, milliseconds; undefined: there are none. */
  get retryMs(): number | undefined {
    return this.#since.size === 0 ? undefined : RETRY_MS;
  }

  accounts(): readonly Account[] {
    return [...this.#since.keys()].map(accountIn);
  }

  /** False: it has to be reported now. */
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
