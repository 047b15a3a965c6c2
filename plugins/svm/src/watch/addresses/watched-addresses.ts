import type { AddressBook, AddressRef, FundingKey, RecordedTransfer } from '@causeway/core';
import { NATIVE } from '../../addresses.js';
import { deriveAccount } from '../../token-accounts.js';
import type { Explained } from './account-job.js';
import type { WatchedAccount } from './arrivals.js';

/** A new or paid address is watched more closely for this long. */
const HOT_MS = 15 * 60_000;
/** Number of newest addresses that are watched closely after a start. */
const HOT_AT_START = 1_000;
/** More new addresses at once are not from new quotes: the book lists old addresses from time to time. */
const MAX_NEW = 200;
/** Interval of comparing the whole book, whose size may be unchanged although addresses changed. */
const COMPARE_MS = 2_000;
/** Token accounts derived per look, of which each takes about a millisecond. */
const MAX_DERIVED = 64;
/** Addresses per query of recorded transfers. */
const MAX_LOADED = 1_000;

export interface WatchedAddress {
  readonly ref: AddressRef;
  readonly accounts: readonly WatchedAccount[];
  /** Explained balances by account; `at`: monotonic. */
  readonly explained: Map<string, Explained & { readonly at: number }>;
  /** Recorded transfers by funding key, until all accounts were explained once. */
  recorded: ReadonlyMap<FundingKey, RecordedTransfer>;
  /** In the book when the watch began: the ledger may have lost transfers, and their sweeps. */
  readonly isEarlier: boolean;
  /** Monotonic. */
  hotUntil: number;
}

/** The book's addresses with their accounts, in the order of reading. */
export class WatchedAddresses {
  readonly #book: AddressBook;
  readonly #programs: ReadonlyMap<string, string>;
  readonly #all = new Map<string, WatchedAddress>();
  /** Never read, newest first. `#unseen`: those that were added many at once. */
  readonly #fresh: Queue = new Map();
  readonly #unseen: Queue = new Map();
  /** The one read longest ago comes first. */
  readonly #hot: Queue = new Map();
  readonly #rest: Queue = new Map();
  /** Loaded and not returned yet, because a later part could not be loaded. */
  readonly #open: RecordedTransfer[] = [];
  #isLoaded = false;
  #comparedAt = Number.NEGATIVE_INFINITY;

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

  /**
   * Updates the addresses from the book.
   *
   * @returns non-final ledger transfers to addresses that are new here. Rejects as the book does.
   */
  async refresh(now: number): Promise<readonly RecordedTransfer[]> {
    const { watched } = this.#book;
    await this.#book.refresh();
    if (watched.size === this.#all.size && now - this.#comparedAt < COMPARE_MS) return [];
    this.#comparedAt = now;
    for (const address of this.#all.keys()) if (!watched.has(address)) this.#drop(address);
    const added = [...watched.values()].filter(({ address }) => !this.#all.has(address));
    for (let from = 0; from < added.length; from += MAX_LOADED) {
      const some = added.slice(from, from + MAX_LOADED);
      const recorded = await this.#book.recorded(some.map(({ address }) => address));
      const byAddress = new Map<string, Map<FundingKey, RecordedTransfer>>();
      for (const one of recorded) {
        const those = byAddress.get(one.address) ?? new Map<FundingKey, RecordedTransfer>();
        byAddress.set(one.address, those.set(one.fundingKey, one));
      }
      const isMany = added.length > MAX_NEW;
      for (const [n, ref] of some.entries()) {
        const isHot = this.#isLoaded ? !isMany : added.length - from - n <= HOT_AT_START;
        this.#add(ref, byAddress.get(ref.address) ?? new Map(), isHot ? now + HOT_MS : now, isMany);
      }
      this.#open.push(...recorded.filter(({ state }) => state !== 'final'));
    }
    this.#isLoaded = true;
    return this.#open.splice(0);
  }

  #add(ref: AddressRef, recorded: WatchedAddress['recorded'], hotUntil: number, isMany: boolean): void {
    const one = { ref, accounts: [], explained: new Map(), recorded, isEarlier: !this.#isLoaded, hotUntil };
    this.#all.set(ref.address, one);
    (isMany ? this.#unseen : this.#fresh).set(ref.address, one);
  }

  #drop(address: string): void {
    for (const queue of [this.#all, this.#fresh, this.#unseen, this.#hot, this.#rest]) queue.delete(address);
  }

  /** Watches a paid address more closely. */
  heat(address: string, now: number): void {
    const one = this.#all.get(address);
    if (one === undefined) return;
    one.hotUntil = now + HOT_MS;
    if (this.#rest.delete(address)) this.#hot.set(address, one);
  }

  /** Addresses to read now, with at most `most` accounts together. Each queue has its share, plus what others leave. */
  next(most: number, now: number): readonly WatchedAddress[] {
    const tokens = this.#programs.size;
    let left = Math.floor(most / (tokens + 1));
    let derivable = tokens === 0 ? left : Math.ceil(MAX_DERIVED / tokens);
    const taken: WatchedAddress[] = [];
    const take = (from: Queue, share: number): void => {
      const isNew = from === this.#fresh || from === this.#unseen;
      const some = firstOf(from, Math.min(left, share, isNew ? derivable : left), isNew);
      for (const one of some) {
        from.delete(one.ref.address);
        taken.push(isNew ? this.#derive(one) : one);
      }
      left -= some.length;
      if (isNew) derivable -= some.length;
    };
    const whole = left;
    take(this.#fresh, Math.ceil(whole / 4));
    take(this.#hot, Math.ceil(whole / 2));
    take(this.#rest, Math.ceil(whole / 8));
    for (const queue of [this.#fresh, this.#unseen, this.#rest, this.#hot]) take(queue, left);
    for (const one of taken) (one.hotUntil > now ? this.#hot : this.#rest).set(one.ref.address, one);
    return taken;
  }

  #derive(one: WatchedAddress): WatchedAddress {
    const { address } = one.ref;
    const tokens = [...this.#programs].map(([currency, program]) => ({
      ...{ address, currency, account: deriveAccount(currency, address, program) },
    }));
    return Object.assign(one, { accounts: [{ address, currency: NATIVE, account: address }, ...tokens] });
  }
}

type Queue = Map<string, WatchedAddress>;

/** @param isReversed the last first. */
function firstOf(queue: Queue, count: number, isReversed: boolean): readonly WatchedAddress[] {
  if (count <= 0) return [];
  if (isReversed) return [...queue.values()].slice(-count).reverse();
  const some: WatchedAddress[] = [];
  for (const one of queue.values()) {
    if (some.length === count) break;
    some.push(one);
  }
  return some;
}
