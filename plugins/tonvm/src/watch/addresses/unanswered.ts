import type { Alerts, ChainId, Clock } from '@causeway/core';
import type { WatchedAccount } from './accounts.js';

interface Unread {
  readonly times: number;
  /** Monotonic; undefined: it is being read again. */
  readonly retryAt: number | undefined;
  readonly why: string;
}

interface UnansweredDeps {
  readonly alerts: Alerts;
  readonly clock: Clock;
  readonly chainId: ChainId;
}

const RETRY_MS = 30_000;
/** Failed readings after which an alert is raised. */
const MANY = 3;
const MAX_REASON_CHARACTERS = 300;

/** Accounts of deposit addresses that no provider could read. Each is read again after a pause. */
export class Unanswered {
  readonly #deps: UnansweredDeps;
  readonly #accounts = new Map<WatchedAccount, Unread>();

  constructor(deps: UnansweredDeps) {
    this.#deps = deps;
  }

  has(account: WatchedAccount): boolean {
    return this.#accounts.has(account);
  }

  waits(account: WatchedAccount): boolean {
    return this.#accounts.get(account)?.retryAt !== undefined;
  }

  add(account: WatchedAccount, why: string): void {
    const times = (this.#accounts.get(account)?.times ?? 0) + 1;
    this.#accounts.set(account, { times, retryAt: this.#deps.clock.monotonic() + RETRY_MS, why });
    this.#report();
  }

  delete(account: WatchedAccount): void {
    if (this.#accounts.delete(account)) this.#report();
  }

  /** Accounts to read now, each once; those that left the book are read when they return. */
  *due(): Generator<WatchedAccount> {
    const now = this.#deps.clock.monotonic();
    for (const [account, unread] of this.#accounts) {
      if (unread.retryAt === undefined || unread.retryAt > now) continue;
      if (account.isWatched) {
        this.#accounts.set(account, { ...unread, retryAt: undefined });
        yield account;
      } else {
        account.generation = -1;
        this.delete(account);
      }
    }
  }

  #report(): void {
    const { alerts, chainId } = this.#deps;
    const alert = `deposit-addresses-${chainId}`;
    const [first, ...others] = [...this.#accounts].filter(([, { times }]) => times >= MANY);
    if (first === undefined) return alerts.clear(alert);
    const more = others.length === 0 ? '' : ` (and ${others.length} more)`;
    const said = `${first[0].raw}${more} of a deposit address cannot be read: ${first[1].why}`;
    alerts.raise(alert, said.slice(0, MAX_REASON_CHARACTERS), { chainId });
  }
}
