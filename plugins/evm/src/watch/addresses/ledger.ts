import type { BlockRef } from '@causeway/core';
import type { Range } from '../../deposit-addresses/funding-key.js';

/** A transfer that was reported or is in core's ledger. */
export interface Known extends Range {
  readonly height: number;
  /** Undefined: recorded by an earlier run. */
  readonly block: BlockRef | undefined;
  readonly isFinal: boolean;
  /** Empty: the chain shows no transaction. */
  readonly transactionHash: string;
  readonly depositor: string;
}

/** Address and currency, both lower case. */
export interface Account {
  readonly address: string;
  readonly currency: string;
}

/**
 * The known transfers to deposit addresses, in memory. Accounts without transfers use none.
 *
 * Invariant: the transfers of an account are disjoint and in order. Once its chain state was read they have no gaps, so
 * the last one ends at the cumulative sum.
 */
export class AddressLedger {
  readonly #accounts = new Map<string, Map<string, readonly Known[]>>();
  /** Accounts with transfers that are not final, by address. */
  readonly #open = new Map<string, Set<string>>();
  /** Final transfers up to this height may be merged, without their keys. */
  #merged = -1;
  /** Height above which no transfer is known. */
  #highest = -1;

  get merged(): number {
    return this.#merged;
  }

  known({ address, currency }: Account): readonly Known[] {
    return this.#accounts.get(address)?.get(currency) ?? [];
  }

  isOpen(address: string): boolean {
    return this.#open.has(address);
  }

  set({ address, currency }: Account, known: readonly Known[]): void {
    const own = this.#accounts.get(address) ?? new Map<string, readonly Known[]>();
    if (known.length === 0) own.delete(currency);
    else own.set(currency, sorted(known));
    if (own.size === 0) this.#accounts.delete(address);
    else this.#accounts.set(address, own);
    this.#note(address, currency, known);
  }

  /** Omits ranges that overlap a known transfer. */
  add(account: Account, more: readonly Known[]): void {
    const known = this.known(account);
    const added = more.filter((one) => !known.some(({ from, to }) => from < one.to && one.from < to));
    if (added.length > 0) this.set(account, [...known, ...added]);
  }

  /** The address is no longer watched. */
  forget(address: string): void {
    this.#accounts.delete(address);
    this.#open.delete(address);
  }

  clear(): void {
    this.#accounts.clear();
    this.#open.clear();
    this.#merged = -1;
    this.#highest = -1;
  }

  /** Accounts with a transfer at such a height, which is above `least`. */
  at(least: number, includes: (height: number) => boolean): readonly Account[] {
    if (this.#highest <= least) return [];
    const found: Account[] = [];
    for (const [address, currencies] of this.#accounts)
      for (const [currency, known] of currencies)
        if (known.some(({ height }) => includes(height))) found.push({ address, currency });
    return found;
  }

  /** Merges transfers that are final by now, so that memory is bounded by arrivals within the time of finality. */
  settle(finalized: number): void {
    for (const [address, currencies] of this.#open)
      for (const currency of [...currencies]) {
        const known = this.known({ address, currency });
        if (known.some(({ height }) => height <= finalized)) this.set({ address, currency }, merged(known, finalized));
      }
    this.#merged = Math.max(this.#merged, finalized);
  }

  #note(address: string, currency: string, known: readonly Known[]): void {
    for (const { height } of known) if (height > this.#highest) this.#highest = height;
    const open = this.#open.get(address) ?? new Set<string>();
    if (known.some(({ isFinal }) => !isFinal)) open.add(currency);
    else open.delete(currency);
    if (open.size === 0) this.#open.delete(address);
    else this.#open.set(address, open);
  }
}

function sorted(known: readonly Known[]): readonly Known[] {
  return [...known].sort((a, b) => (a.from < b.from ? -1 : Number(a.from > b.from)));
}

function merged(known: readonly Known[], finalized: number): readonly Known[] {
  const joined: Known[] = [];
  for (const one of known) {
    const before = joined.at(-1);
    const isFinal = one.height <= finalized;
    if (isFinal && before?.isFinal && before.to === one.from)
      joined[joined.length - 1] = { ...one, isFinal, from: before.from, height: Math.max(before.height, one.height) };
    else joined.push({ ...one, isFinal });
  }
  return joined;
}

/** Ranges of the cumulative sum that no known transfer covers, in order. */
export function uncovered(known: readonly Range[], arrived: bigint): readonly Range[] {
  const gaps: Range[] = [];
  let at = 0n;
  for (const { from, to } of known) {
    const end = from < arrived ? from : arrived;
    if (end > at) gaps.push({ from: at, to: end });
    if (to > at) at = to;
  }
  if (arrived > at) gaps.push({ from: at, to: arrived });
  return gaps;
}
