import type { AddressBook, FundingKey } from '@causeway/core';
import { accountOf } from '../../addresses.js';
import type { TransactionId } from '../../chain/transaction.js';
import type { AddressAccount } from '../../deposit-addresses/transfers.js';
import type { JettonBook, KnownJetton } from '../../jetton-book.js';
import { walletAddress } from '../../jettons.js';

export interface WatchedAccount extends AddressAccount {
  /** Newest transaction up to which all are read; undefined: not read yet. */
  mark: TransactionId | undefined;
  /** Unfinished reading, backwards from `newest`. */
  reading: { readonly newest: TransactionId; next: TransactionId } | undefined;
  /** Final transfers in the ledger, which are not reported again. */
  recorded: ReadonlySet<FundingKey> | undefined;
  /** Balance as of a transaction, smallest unit. */
  held: { readonly lt: bigint; readonly value: bigint } | undefined;
  /** Still in the book. Others are cached for a time, so that they need not be read again when they return. */
  isWatched: boolean;
  /** Transactions since it was read are listed without a gap, as of this generation. */
  generation: number;
}

/** Addresses added per step: each costs a hash per jetton. */
const MAX_ADDED = 250;
/** Cached addresses that left the book. */
const MAX_LEFT = 10_000;

/** Deposit addresses and their jetton wallets, by raw address. */
export class AddressAccounts {
  readonly #book: AddressBook;
  readonly #jettons: Pick<JettonBook, 'all'>;
  readonly #byRaw = new Map<string, WatchedAccount>();
  readonly #byAddress = new Map<string, WatchedAccount[]>();
  /** Oldest first. */
  readonly #left = new Set<string>();
  #watched = 0;

  constructor(book: AddressBook, jettons: Pick<JettonBook, 'all'>) {
    this.#book = book;
    this.#jettons = jettons;
  }

  get(raw: string): WatchedAccount | undefined {
    return this.#byRaw.get(raw);
  }

  /** Accounts of addresses in the book. */
  get watched(): number {
    return this.#watched;
  }

  *all(): Generator<WatchedAccount> {
    for (const account of this.#byRaw.values()) if (account.isWatched) yield account;
  }

  /**
   * Adds a part of the changes of the book, newest first.
   *
   * @returns accounts that are new or have returned; `more`: there are others. Rejects on infrastructure failure.
   */
  async learn(): Promise<{ readonly added: readonly WatchedAccount[]; readonly more: boolean }> {
    const { watched } = this.#book;
    const jettons = this.#jettons.all();
    for (const address of this.#byAddress.keys()) if (!watched.has(address)) this.#leave(address);
    const unknown: string[] = [];
    for (const address of watched.keys()) {
      const known = this.#byAddress.get(address);
      if (known === undefined || known.length <= jettons.length || this.#left.has(address)) unknown.push(address);
    }
    const some = unknown.slice(-MAX_ADDED).reverse();
    if (some.length === 0) return { added: [], more: false };
    const recorded = await this.#recorded(some);
    const added = some.flatMap((address) => this.#add(address, jettons, recorded));
    return { added, more: some.length < unknown.length };
  }

  async #recorded(addresses: readonly string[]): Promise<ReadonlySet<FundingKey>> {
    const transfers = await this.#book.recorded(addresses);
    return new Set(transfers.flatMap(({ fundingKey, state }) => (state === 'final' ? [fundingKey] : [])));
  }

  #add(address: string, jettons: readonly KnownJetton[], recorded: ReadonlySet<FundingKey>): WatchedAccount[] {
    const known = this.#byAddress.get(address) ?? [];
    const back = this.#left.delete(address) ? known : [];
    for (const account of back) Object.assign(account, { isWatched: true, recorded });
    const owner = accountOf(address).toRawString();
    const fresh = [undefined, ...jettons].flatMap((jetton): WatchedAccount[] => {
      if (known.some((account) => account.jetton?.currency === jetton?.currency)) return [];
      const raw = jetton === undefined ? owner : walletAddress(jetton, owner);
      const state = { mark: undefined, reading: undefined, held: undefined, recorded, isWatched: true, generation: -1 };
      return [{ raw, address, jetton, ...state }];
    });
    for (const account of fresh) this.#byRaw.set(account.raw, account);
    this.#byAddress.set(address, [...known, ...fresh]);
    this.#watched += back.length + fresh.length;
    return [...back, ...fresh];
  }

  #leave(address: string): void {
    if (this.#left.has(address)) return;
    const accounts = this.#byAddress.get(address) ?? [];
    for (const account of accounts) account.isWatched = false;
    this.#watched -= accounts.length;
    this.#left.add(address);
    for (const oldest of this.#left) {
      if (this.#left.size <= MAX_LEFT) return;
      this.#left.delete(oldest);
      for (const { raw } of this.#byAddress.get(oldest) ?? []) this.#byRaw.delete(raw);
      this.#byAddress.delete(oldest);
    }
  }
}
