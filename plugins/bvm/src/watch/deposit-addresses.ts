import { type AddressBook, type Clock, type Logger, NotYetError, type RecordedTransfer } from '@causeway/core';
import type { ServiceScripts } from './scripts.js';

/** The ledger cannot be read now; the provider is not at fault. */
export class BookUnread extends NotYetError {
  override readonly name = 'BookUnread';
}

export interface AddedScript {
  readonly address: string;
  /** As `scriptText`. */
  readonly script: string;
  /** The ledger has transfers to it that are in a block. */
  readonly isRecorded: boolean;
}

export interface DepositAddressesDeps {
  readonly scripts: ServiceScripts;
  readonly onAdded: (added: readonly AddedScript[]) => void;
  readonly clock: Clock;
  readonly log: Logger;
}

/** Addresses per query of the ledger, and per iteration of the event loop, as each address is decoded. */
const ADDRESSES_PER_READ = 500;
/** A book of unchanged size is compared at this interval, milliseconds. */
const COMPARE_MS = 60_000;

/**
 * Adds the script of each deposit address in the book to the service's scripts. None is removed: this family's book
 * lists all addresses, and their outputs stay the depository's.
 *
 * Invariant: after `sync`, every address issued before it is among the service's scripts. A reader that learns of a
 * block or a transaction, then syncs and then matches, misses no transfer to an address issued before the transfer.
 */
export class DepositAddressScripts {
  readonly #deps: DepositAddressesDeps;
  readonly #known = new Set<string>();
  #book: AddressBook | undefined;
  #running: Promise<void> | undefined;
  #next: Promise<void> | undefined;
  #size = 0;
  #comparedAt = Number.NEGATIVE_INFINITY;

  constructor(deps: DepositAddressesDeps) {
    this.#deps = deps;
  }

  get isAttached(): boolean {
    return this.#book !== undefined;
  }

  attach(book: AddressBook): void {
    this.#book = book;
    this.#comparedAt = Number.NEGATIVE_INFINITY;
  }

  /**
   * Concurrent callers share one reading. A call never returns the result of a reading that began before it, but waits
   * for the next one.
   *
   * @throws BookUnread
   */
  sync(): Promise<void> {
    if (this.#book === undefined) return Promise.resolve();
    this.#next ??= this.#after(this.#running);
    return this.#next;
  }

  /** Recorded transfers by funding key. @throws BookUnread */
  async recorded(addresses: readonly string[]): Promise<ReadonlyMap<string, RecordedTransfer>> {
    const found = new Map<string, RecordedTransfer>();
    for (let from = 0; from < addresses.length; from += ADDRESSES_PER_READ) {
      const some = addresses.slice(from, from + ADDRESSES_PER_READ);
      for (const one of (await this.#ask((book) => book.recorded(some))) ?? []) found.set(one.fundingKey, one);
    }
    return found;
  }

  async #after(running: Promise<void> | undefined): Promise<void> {
    await running?.catch(() => undefined);
    this.#running = this.#next;
    this.#next = undefined;
    await this.#round();
  }

  async #round(): Promise<void> {
    await this.#ask((book) => book.refresh());
    const { clock } = this.#deps;
    const watched = this.#book?.watched;
    if (watched === undefined) return;
    const { size } = watched;
    if (size === this.#size && clock.monotonic() - this.#comparedAt < COMPARE_MS) return;
    const fresh = [...watched.keys()].filter((address) => !this.#known.has(address));
    for (let from = 0; from < fresh.length; from += ADDRESSES_PER_READ) {
      if (from > 0) await clock.sleep(0);
      await this.#add(fresh.slice(from, from + ADDRESSES_PER_READ));
    }
    this.#size = size;
    this.#comparedAt = clock.monotonic();
  }

  async #add(addresses: readonly string[]): Promise<void> {
    const scripts = addresses.flatMap((address) => this.#script(address) ?? []);
    const recorded = await this.recorded(scripts.map(({ address }) => address));
    const inBlocks = new Set(
      [...recorded.values()].flatMap(({ state, address }) => (state === 'mempool' ? [] : address)),
    );
    for (const address of addresses) this.#known.add(address);
    this.#deps.onAdded(scripts.map((one) => ({ ...one, isRecorded: inBlocks.has(one.address) })));
  }

  #script(address: string): { readonly address: string; readonly script: string } | undefined {
    try {
      return { address, script: this.#deps.scripts.add({ role: 'depositAddress', address }) };
    } catch (error) {
      this.#deps.log.error({ address, error: String(error) }, 'a deposit address cannot be watched');
      return undefined;
    }
  }

  async #ask<T>(question: (book: AddressBook) => Promise<T>): Promise<T | undefined> {
    try {
      return this.#book && (await question(this.#book));
    } catch (cause) {
      throw new BookUnread(`deposit addresses cannot be read from the ledger: ${String(cause)}`, { cause });
    }
  }
}
