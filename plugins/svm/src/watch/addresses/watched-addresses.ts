import type { AddressBook, AddressRef, FundingKey, RecordedTransfer } from '@causeway/core';
import { NATIVE } from '../../addresses.js';
import { deriveAccount } from '../../token-accounts.js';
import type { Explained } from './account-job.js';
import type { WatchedAccount } from './arrivals.js';

/** A new or paid address is looked at first. */
const HOT_MS = 15 * 60_000;
/** A derivation takes about a millisecond. */
const MOST_DERIVED = 100;
/** Addresses whose recorded transfers are asked for at once. */
const MOST_LOADED = 1_000;

export interface WatchedAddress {
  readonly ref: AddressRef;
  readonly accounts: readonly WatchedAccount[];
  /** By account; `at`: monotonic. */
  readonly explained: Map<string, Explained & { readonly at: number }>;
  /** What the ledger has, until everything is explained once. By funding key. */
  recorded: ReadonlyMap<FundingKey, RecordedTransfer>;
  /** Monotonic. */
  hotUntil: number;
}

/** The book's addresses with their accounts, in the order in which they are to be looked at. */
export class WatchedAddresses {
  readonly #book: AddressBook;
  readonly #programs: ReadonlyMap<string, string>;
  readonly #all = new Map<string, WatchedAddress>();
  /** The one looked at longest ago first. */
  readonly #hot = new Map<string, WatchedAddress>();
  readonly #rest = new Map<string, WatchedAddress>();
  readonly #byAccount = new Map<string, WatchedAddress>();
  #isLoaded = false;

  /** @param programs token program by configured mint. */
  constructor(book: AddressBook, programs: ReadonlyMap<string, string>) {
    this.#book = book;
    this.#programs = programs;
  }

  /** Every address of the book was loaded once. */
  get isLoaded(): boolean {
    return this.#isLoaded;
  }

  get(address: string): WatchedAddress | undefined {
    return this.#all.get(address);
  }

  of(account: string): WatchedAddress | undefined {
    return this.#byAccount.get(account);
  }

  /**
   * Takes over the book.
   *
   * @returns transfers to addresses that are new here that the ledger has and that are not final. Rejects as the book.
   */
  async refresh(now: number): Promise<readonly RecordedTransfer[]> {
    const { watched } = this.#book;
    await this.#book.refresh();
    for (const address of this.#all.keys()) if (!watched.has(address)) this.#drop(address);
    const fresh = [...watched.values()].filter(({ address }) => !this.#all.has(address));
    const all: RecordedTransfer[] = [];
    for (let from = 0; from < fresh.length; from += MOST_LOADED) {
      const some = fresh.slice(from, from + MOST_LOADED);
      const recorded = await this.#book.recorded(some.map(({ address }) => address));
      const byAddress = new Map<string, Map<FundingKey, RecordedTransfer>>();
      for (const one of recorded) {
        const those = byAddress.get(one.address) ?? new Map<FundingKey, RecordedTransfer>();
        byAddress.set(one.address, those.set(one.fundingKey, one));
      }
      for (const ref of some) this.#add(ref, byAddress.get(ref.address) ?? new Map(), now);
      all.push(...recorded.filter(({ state }) => state !== 'final'));
    }
    this.#isLoaded = true;
    return all;
  }

  #add(ref: AddressRef, recorded: WatchedAddress['recorded'], now: number): void {
    const one = { ref, accounts: [], explained: new Map(), recorded, hotUntil: now + HOT_MS };
    this.#all.set(ref.address, one);
    this.#hot.set(ref.address, one);
  }

  #drop(address: string): void {
    for (const { account } of this.#all.get(address)?.accounts ?? []) this.#byAccount.delete(account);
    this.#all.delete(address);
    this.#hot.delete(address);
    this.#rest.delete(address);
  }

  /** It was paid: looked at first for a while. */
  heat(address: string, now: number): void {
    const one = this.#all.get(address);
    if (one === undefined) return;
    one.hotUntil = now + HOT_MS;
    if (this.#rest.delete(address)) this.#hot.set(address, one);
  }

  /** Addresses to look at now, with at most so many accounts together. */
  next(most: number, now: number): readonly WatchedAddress[] {
    const taken: WatchedAddress[] = [];
    const each = this.#programs.size + 1;
    let [left, derivable] = [most, MOST_DERIVED];
    const take = (from: Map<string, WatchedAddress>, least: number): void => {
      for (const [address, one] of from) {
        if (left - each < least) return;
        const isDerived = one.accounts.length > 0;
        if (!isDerived && derivable < this.#programs.size) return;
        if (!isDerived) derivable -= this.#programs.size;
        const whole = isDerived ? one : this.#derive(one);
        left -= each;
        from.delete(address);
        (whole.hotUntil > now ? later.hot : later.rest).push([address, whole]);
        taken.push(whole);
      }
    };
    const later = { hot: [] as [string, WatchedAddress][], rest: [] as [string, WatchedAddress][] };
    take(this.#hot, Math.floor(most / 4));
    take(this.#rest, 0);
    take(this.#hot, 0);
    for (const [address, one] of later.hot) this.#hot.set(address, one);
    for (const [address, one] of later.rest) this.#rest.set(address, one);
    return taken;
  }

  #derive(one: WatchedAddress): WatchedAddress {
    const { address } = one.ref;
    const tokens = [...this.#programs].map(([currency, program]) => ({
      ...{ address, currency, account: deriveAccount(currency, address, program) },
    }));
    const whole = Object.assign(one, { accounts: [{ address, currency: NATIVE, account: address }, ...tokens] });
    for (const { account } of whole.accounts) this.#byAccount.set(account, whole);
    return whole;
  }
}
