import type { Head } from '../heads.js';
import type { Arrival, Arrivals } from './arrivals.js';
import type { Account } from './ledger.js';
import type { Look, QuickLook } from './quick-look.js';
import { accountIn } from './shown.js';

/** Payments found in a block, and the cumulative sums of the paid accounts. */
export interface Seen {
  readonly look: Look;
  readonly found: readonly Arrival[];
}

type Addresses = { has(address: string): boolean };

/**
 * Starts the block search of a head as soon as it is known, concurrently with the reading of other deposits.
 *
 * Invariant: a search that began before a reorg is dropped, because it continued from another fork.
 */
export class EarlyLook {
  readonly #look: QuickLook;
  readonly #arrivals: Arrivals;
  #begun: { readonly id: string; readonly seen: Promise<Seen> } | undefined;

  constructor(look: QuickLook, arrivals: Arrivals) {
    this.#look = look;
    this.#arrivals = arrivals;
  }

  begin(head: Head, watched: Addresses): void {
    if (this.#begun?.id === head.id) return;
    const seen = this.#see(head, watched);
    // The rejection is thrown by `take`.
    seen.catch(() => undefined);
    this.#begun = { id: head.id, seen };
  }

  /** @throws as `QuickLook.at` and `Arrivals.of` */
  take(head: Head, watched: Addresses): Promise<Seen> {
    const begun = this.#begun;
    this.#begun = undefined;
    return begun?.id === head.id ? begun.seen : this.#see(head, watched);
  }

  drop(): void {
    this.#begun = undefined;
  }

  async #see(head: Head, watched: Addresses): Promise<Seen> {
    const look = await this.#look.at(head, watched);
    const asked = [...accountsOf(look)].map(([currency, own]) => this.#arrivals.of([...own], [currency], head));
    return { look, found: (await Promise.all(asked)).flat() };
  }
}

function accountsOf({ paid, transfers }: Look): ReadonlyMap<string, ReadonlySet<string>> {
  const accounts = new Map<string, Set<string>>();
  const note = ({ address, currency }: Account) =>
    accounts.set(currency, (accounts.get(currency) ?? new Set()).add(address));
  for (const key of paid.keys()) note(accountIn(key));
  for (const { to, token } of transfers) note({ address: to, currency: token });
  return accounts;
}
