import type { Clock } from '@causeway/core';
import { isTransportError, type Provider, RpcError, type TransportError } from '@causeway/core/rpc';
import { AT_ONCE, inParallel } from '../parallel.js';
import { Aside } from './aside.js';
import type { Listed } from './page.js';
import { type Look, Roll, type RollOptions } from './roll.js';

/** Entries of final slots that are kept until they are read; of more, the newest are forgotten and listed again in their turn. */
const MOST_WAITING = 50_000;
/** Pages of final slots that are listed in one go, beside what is new. */
const PAGES = 16;
/** Transactions that are tried again in one go. */
const RETRIES = 100;
/** Lists under way at once: each of them may be two calls. */
const LISTS = AT_ONCE / 2;

export interface BacklogOptions<T> extends RollOptions {
  /** What one transaction comes to. Whatever it throws says that it cannot be read. */
  read(provider: Provider, entry: Listed): Promise<T>;
  /** What the block of an unreadable transaction proves of it; undefined where the block does not tell. */
  apart(provider: Provider, entry: Listed): Promise<T | undefined>;
  /** Told of transactions that were read, and of refusals that do not concern the one that was asked for. */
  onRead?(provider: Provider, refusal?: RpcError): void;
}

/** The node does not know the version of the transaction. */
const UNKNOWN_VERSION = -32_015;

/** 0: no node's word. */
function isOfNode(error: unknown): error is RpcError {
  return error instanceof RpcError && error.code !== 0 && error.code !== UNKNOWN_VERSION;
}

/** What was read of a transaction in this slot. */
export interface Done<T> {
  readonly slot: number;
  readonly value: T;
  /** It was listed there once that was final for some time: it stays. */
  readonly sure: boolean;
}

/** One that cannot be read, after all tries. */
export interface Hopeless {
  readonly entry: Listed;
  readonly why: string;
}

/**
 * The transactions that touched some accounts above a slot, listed and read piece by piece, however many there are.
 *
 * Invariant: entries that were listed or read stay so when a later call fails; no more than `AT_ONCE` calls are under way; and
 * a transaction that cannot be read keeps no other from being read.
 */
export class Backlog<T> {
  readonly #options: BacklogOptions<T>;
  readonly #rolls: readonly Roll[];
  readonly aside: Aside;
  /** What was read, by signature, for as long as it may be listed again or is kept. */
  readonly done = new Map<string, Done<T>>();

  constructor(accounts: readonly string[], floor: number, options: BacklogOptions<T>, clock: Pick<Clock, 'monotonic'>) {
    this.#options = options;
    this.#rolls = accounts.map((account) => new Roll(account, floor, options));
    this.aside = new Aside(clock);
  }

  /** Slots up to which everything is listed for good, and is not forgotten. */
  get listedTo(): number {
    return Math.min(...this.#rolls.map((roll) => roll.listedTo));
  }

  /** Whether these slots, above one and up to another, were listed, and all of it was read. */
  covers(low: number, high: number): boolean {
    const isIn = ({ slot }: Listed): boolean => slot > low && slot <= high;
    if (!this.#rolls.every((roll) => roll.covers(low, high)) || this.aside.entries().some(isIn)) return false;
    for (const entry of this.#open()) if (isIn(entry)) return false;
    return true;
  }

  /** Slots up to which everything was listed for good, and read. */
  readTo(): number {
    return this.#readUpTo(this.listedTo);
  }

  /** Slots up to which everything that is listed was read, though what is not final there may change. */
  readNow(): number {
    return this.#readUpTo(this.listedNow());
  }

  /** Slots up to which everything is listed, though what is not final there may change. */
  listedNow(): number {
    return Math.min(...this.#rolls.map((roll) => roll.listedNow));
  }

  #readUpTo(listed: number): number {
    let least = listed;
    // guard: svm-cursor-before-unread
    for (const { slot } of this.aside.entries()) least = Math.min(least, slot - 1);
    for (const { slot } of this.#open()) if (slot <= least) least = slot - 1;
    return least;
  }

  /** What is listed and was not read, oldest first. */
  unread(): readonly Listed[] {
    const found = new Map<string, Listed>();
    for (const entry of this.#open()) found.set(entry.signature, entry);
    return [...found.values()].sort((a, b) => a.slot - b.slot);
  }

  /** What is listed and was not read; under each account that it touched. */
  *#open(): Generator<Listed> {
    for (const roll of this.#rolls) for (const entry of roll.entries()) if (!this.#isOver(entry)) yield entry;
  }

  /** Of these, what may be read now: nothing above what is not listed, so that the oldest comes first. */
  readable(unread: readonly Listed[]): readonly Listed[] {
    if (this.isListed) return unread;
    const { listedTo } = this;
    return unread.filter(({ slot }) => slot <= listedTo);
  }

  /** Whether everything up to the head was listed and read, but for what is set aside. */
  get isThrough(): boolean {
    return this.isListed && this.#open().next().done === true;
  }

  /** Whether nothing is left to be listed, or was forgotten. */
  get isListed(): boolean {
    return this.#rolls.every((roll) => roll.unlisted() === undefined);
  }

  #isOver(entry: Listed): boolean {
    return this.#isRead(entry) || this.aside.has(entry);
  }

  #isRead({ signature, slot }: Listed): boolean {
    return this.done.get(signature)?.slot === slot;
  }

  /**
   * Lists what is new, and a part of what is old and was never listed, or was forgotten and is to be read next.
   *
   * @param prove shows that the node has everything; asked for before anything is listed and after. What it cannot show counts
   * as never listed. Undefined: it was shown already.
   * @throws as `historyPage`; entries listed by then stay.
   */
  async list({ rpc }: Provider, look: Look, prove: (() => Promise<void>) | undefined): Promise<void> {
    const before = this.#rolls.map((roll) => roll.state);
    // guard: svm-proven-node
    await prove?.();
    const failure = await this.#listPages(rpc, look).then(
      () => undefined,
      (error: unknown) => ({ error }),
    );
    try {
      await prove?.();
    } catch (error) {
      for (const [n, roll] of this.#rolls.entries()) roll.restore(before[n] as Roll['state']);
      throw error;
    }
    this.#dropVanished();
    if (failure !== undefined) throw failure.error;
  }

  async #listPages(rpc: Provider['rpc'], look: Look): Promise<void> {
    await inParallel(this.#rolls, (roll) => roll.front(rpc, look), LISTS);
    for (let pages = 0; pages < PAGES; ) {
      const wanted = this.#rolls.flatMap((roll) => {
        const stretch = roll.unlisted();
        return stretch !== undefined && (!stretch.scanned || this.#hasRoom()) ? [{ roll, stretch }] : [];
      });
      if (wanted.length === 0) return;
      await inParallel(wanted, ({ roll, stretch }) => roll.load(rpc, stretch, look), LISTS);
      pages += wanted.length;
    }
  }

  /** Whether forgotten entries may be listed again: few entries wait, or none that waits may be read now. */
  #hasRoom(): boolean {
    if (this.#size() < MOST_WAITING / 2) return true;
    const { listedTo } = this;
    for (const { slot } of this.#open()) if (slot <= listedTo) return false;
    return true;
  }

  #size(): number {
    return this.#rolls.reduce((sum, roll) => sum + roll.size, 0);
  }

  /** What could not be read, and left the chain before it was final, is nobody's business any more. */
  #dropVanished(): void {
    const { listedTo } = this;
    const old = this.aside.entries().filter(({ slot }) => slot <= listedTo);
    if (old.length === 0) return;
    const there = new Map<string, number>();
    for (const roll of this.#rolls) for (const { signature, slot } of roll.entries()) there.set(signature, slot);
    for (const entry of old) if (there.get(entry.signature) !== entry.slot) this.aside.drop(entry);
  }

  /** Forgets the newest of what waits, where that is too much; it is listed again when there is room. */
  forget(): void {
    let size = this.#size();
    while (size > MOST_WAITING) {
      const [most] = [...this.#rolls].sort((a, b) => b.size - a.size);
      const freed = most?.forget() ?? 0;
      if (freed === 0) return;
      size -= freed;
    }
  }

  /**
   * Reads some. What cannot be read is set aside.
   * @returns why it was ended early, where the node is busy, or answers nobody: then some of them wait as before.
   */
  async read(provider: Provider, entries: readonly Listed[]): Promise<TransportError | undefined> {
    let busy: TransportError | undefined;
    let silent: readonly TransportError[] = [];
    await inParallel(entries, async (entry) => {
      if (busy !== undefined || silent.length >= AT_ONCE) return;
      try {
        this.#put(entry, await this.#options.read(provider, entry));
        this.#options.onRead?.(provider);
      } catch (error) {
        if (isOfNode(error)) this.#options.onRead?.(provider, error);
        if (isTransportError(error) && error.failure === 'rate') {
          busy = error;
          return;
        }
        if (isTransportError(error) && error.failure !== 'malformed') silent = [...silent, error];
        this.aside.failed(entry, String(error));
      }
    });
    return busy ?? (silent.length >= AT_ONCE ? silent[0] : undefined);
  }

  /**
   * Tries those again that are due, each time with another node, and then by what is in its block.
   *
   * @param hopeless what those are worth that it was the last time for; undefined: there is no last time.
   * @returns them.
   */
  async retry(providers: readonly Provider[], hopeless: T | undefined): Promise<readonly Hopeless[]> {
    const given: Hopeless[] = [];
    await inParallel(this.aside.due(RETRIES), async (entry) => {
      const provider = providers[this.aside.triesOf(entry) % providers.length];
      if (provider === undefined) return;
      try {
        this.#put(entry, await this.#readOrProve(provider, entry));
        this.#options.onRead?.(provider);
      } catch (error) {
        if (isOfNode(error)) this.#options.onRead?.(provider, error);
        if (isTransportError(error) && error.failure === 'rate') return;
        if (!this.aside.failed(entry, String(error)) || hopeless === undefined) return;
        this.#put(entry, hopeless);
        given.push({ entry, why: String(error) });
      }
    });
    return given;
  }

  async #readOrProve(provider: Provider, entry: Listed): Promise<T> {
    try {
      return await this.#options.read(provider, entry);
    } catch (error) {
      const proven = await this.#options.apart(provider, entry).catch((other: unknown) => {
        if (isTransportError(other) && other.failure === 'rate') throw other;
        return undefined;
      });
      if (proven === undefined) throw error;
      return proven;
    }
  }

  #put(entry: Listed, value: T): void {
    this.done.set(entry.signature, { slot: entry.slot, value, sure: false });
    this.aside.drop(entry);
  }

  /** Forgets transactions that were read and will not be listed again. @param isKept whether such a transaction stays. */
  prune(isKept: (one: Done<T>, signature: string) => boolean): void {
    const isUnread = (entry: Listed): boolean => {
      const read = this.done.get(entry.signature);
      if (read?.slot !== entry.slot) return true;
      this.done.set(entry.signature, { ...read, sure: true });
      return false;
    };
    for (const roll of this.#rolls) roll.prune(isUnread);
    const { listedTo } = this;
    for (const [signature, one] of this.done) {
      if (one.slot <= listedTo && !isKept(one, signature)) this.done.delete(signature);
    }
  }

  /** What was read, and is on the chain by the newest list. After `prune`. */
  *there(): Generator<readonly [string, Done<T>]> {
    for (const [signature, one] of this.done) {
      const isListed = this.#rolls.some((roll) => roll.window.get(signature)?.slot === one.slot);
      if (one.sure || isListed) yield [signature, one];
    }
  }

  /** Nothing up to a slot is asked about any more. */
  settle(slot: number): void {
    for (const roll of this.#rolls) roll.settle(slot);
  }
}
