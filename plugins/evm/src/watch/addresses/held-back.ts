import type { Clock } from '@causeway/core';
import type { Account } from './ledger.js';
import { accountIn, accountKey } from './shown.js';

/** Shortest time given to a log index that lags behind the state. */
const MIN_MS = 1_000;
/** Longest wait for the next block, for nodes that answer with the state of a block in the making. */
const MAX_MS = 10_000;
/** Some readings again. */
const BRIEF_MS = 300;
const RETRY_MS = 100;
/** Bounds what a token can cause that changes all balances without events. */
const MAX_ACCOUNTS = 500;

export type Patience = 'next block' | 'brief';

interface Held {
  readonly at: number;
  readonly height: number;
  readonly patience: Patience;
}

/**
 * Accounts with a new arrival that no event or transaction shows yet. They are read again soon, so that the arrival is
 * reported with its transaction; or without it, at the first newer head after a second or in any case after 10 s, or with
 * `brief` after 0.3 s.
 *
 * Invariant: these arrivals are not in the ledger yet, so losing this list loses none of them.
 */
export class HeldBack {
  readonly #clock: Pick<Clock, 'monotonic'>;
  readonly #since = new Map<string, Held>();

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

  /**
   * False: the arrival has to be reported now.
   *
   * @param height of the head at which it was read.
   * @param patience of its first hold.
   */
  hold(account: Account, height: number, patience: Patience): boolean {
    const key = accountKey(account);
    const now = this.#clock.monotonic();
    const since = this.#since.get(key);
    if (since !== undefined) return now - since.at < limitOf(since, height);
    if (this.#since.size >= MAX_ACCOUNTS) return false;
    this.#since.set(key, { at: now, height, patience });
    return true;
  }

  release(account: Account): void {
    this.#since.delete(accountKey(account));
  }
}

function limitOf({ height: from, patience }: Held, height: number): number {
  if (patience === 'brief') return BRIEF_MS;
  return height > from ? MIN_MS : MAX_MS;
}
