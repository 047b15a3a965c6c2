import type { Clock } from '@causeway/core';
import { isTransportError, type Provider, RpcError, type TransportError } from '@causeway/core/rpc';
import { DEFAULT_CONCURRENCY, inParallel } from '../parallel.js';
import { OnHold } from './on-hold.js';
import type { Listed } from './page.js';
import { type Look, Roll, type RollOptions } from './roll.js';

/** Buffered entries of final slots; beyond them the newest are dropped and listed again later. */
const MAX_WAITING_TRANSACTIONS = 50_000;
const PAGES = 16;
const RETRIES = 100;
const LISTS = DEFAULT_CONCURRENCY / 2;

export interface BacklogOptions<T> extends RollOptions {
  /** Any error means that it cannot be read. */
  read(provider: Provider, entry: Listed): Promise<T>;
  /** Result for an unreadable transaction from its block; undefined where the block does not show it. */
  apart(provider: Provider, entry: Listed): Promise<T | undefined>;
  /** Called for read transactions, and for refusals that do not concern the requested one. */
  onRead?(provider: Provider, refusal?: RpcError): void;
}

/** The node does not support the transaction's version. */
const UNKNOWN_VERSION = -32_015;

/** A refusal that says nothing of the transaction. 0: not sent by the node. */
export function isOfNode(error: unknown): error is RpcError {
  return error instanceof RpcError && error.code !== 0 && error.code !== UNKNOWN_VERSION;
}

export interface Done<T> {
  readonly slot: number;
  readonly value: T;
  /** Listed in this slot after that was final for `OVERLAP_SLOTS`, so it stays. */
  readonly sure: boolean;
}

export interface Hopeless {
  readonly entry: Listed;
  readonly why: string;
}

/**
 * Invariant: listed and read entries survive a later failure; at most `DEFAULT_CONCURRENCY` calls run; an unreadable transaction
 * blocks no other.
 */
export class Backlog<T> {
  readonly #options: BacklogOptions<T>;
  readonly #rolls: readonly Roll[];
  readonly onHold: OnHold;
  /** Read transactions by signature, while they may be listed again or are needed. */
  readonly done = new Map<string, Done<T>>();

  constructor(accounts: readonly string[], floor: number, options: BacklogOptions<T>, clock: Pick<Clock, 'monotonic'>) {
    this.#options = options;
    this.#rolls = accounts.map((account) => new Roll(account, floor, options));
    this.onHold = new OnHold(clock);
  }

  /** Slots up to which the final list is complete and buffered. */
  get listedTo(): number {
    return Math.min(...this.#rolls.map((roll) => roll.listedTo));
  }

  /** Whether these slots, above `low` up to `high`, were listed and completely read. */
  covers(low: number, high: number): boolean {
    const isIn = ({ slot }: Listed): boolean => slot > low && slot <= high;
    if (!this.#rolls.every((roll) => roll.covers(low, high)) || this.onHold.entries().some(isIn)) return false;
    for (const entry of this.#open()) if (isIn(entry)) return false;
    return true;
  }

  /** Slots up to which the final list is complete and read. */
  readTo(): number {
    return this.#readUpTo(this.listedTo);
  }

  /** Slots up to which all listed entries were read; those not final may change. */
  readNow(): number {
    return this.#readUpTo(this.listedNow());
  }

  /** Slots up to which the list is complete; entries not final may change. */
  listedNow(): number {
    return Math.min(...this.#rolls.map((roll) => roll.listedNow));
  }

  #readUpTo(listed: number): number {
    let least = listed;
    // guard: svm-cursor-before-unread
    for (const { slot } of this.onHold.entries()) least = Math.min(least, slot - 1);
    for (const { slot } of this.#open()) if (slot <= least) least = slot - 1;
    return least;
  }

  unread(): readonly Listed[] {
    const found = new Map<string, Listed>();
    for (const entry of this.#open()) found.set(entry.signature, entry);
    return [...found.values()].sort((a, b) => a.slot - b.slot);
  }

  /** Yields an entry once per touched account. */
  *#open(): Generator<Listed> {
    for (const roll of this.#rolls) for (const entry of roll.entries()) if (!this.#isOver(entry)) yield entry;
  }

  /** Only below the first unlisted slot, so that the oldest comes first. */
  readable(unread: readonly Listed[]): readonly Listed[] {
    if (this.isListed) return unread;
    const { listedTo } = this;
    return unread.filter(({ slot }) => slot <= listedTo);
  }

  /** Everything up to the head was listed and read, except transactions on hold. */
  get isThrough(): boolean {
    return this.isListed && this.#open().next().done === true;
  }

  /** Nothing is unlisted or dropped. */
  get isListed(): boolean {
    return this.#rolls.every((roll) => roll.unlisted() === undefined);
  }

  #isOver(entry: Listed): boolean {
    return this.#isRead(entry) || this.onHold.has(entry);
  }

  #isRead({ signature, slot }: Listed): boolean {
    return this.done.get(signature)?.slot === slot;
  }

  /**
   * @param prove shows that the node has everything, before and after the listing; otherwise the slots count as
   * unlisted. Undefined: already proven.
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

  /** Dropped entries may be listed again when few entries wait, or none of them is readable. */
  #hasRoom(): boolean {
    if (this.#size() < MAX_WAITING_TRANSACTIONS / 2) return true;
    const { listedTo } = this;
    for (const { slot } of this.#open()) if (slot <= listedTo) return false;
    return true;
  }

  #size(): number {
    return this.#rolls.reduce((sum, roll) => sum + roll.size, 0);
  }

  #dropVanished(): void {
    const { listedTo } = this;
    const old = this.onHold.entries().filter(({ slot }) => slot <= listedTo);
    if (old.length === 0) return;
    const there = new Map<string, number>();
    for (const roll of this.#rolls) for (const { signature, slot } of roll.entries()) there.set(signature, slot);
    for (const entry of old) if (there.get(entry.signature) !== entry.slot) this.onHold.drop(entry);
  }

  /** Drops the newest waiting entries beyond the limit; they are listed again later. */
  forget(): void {
    let size = this.#size();
    while (size > MAX_WAITING_TRANSACTIONS) {
      const [most] = [...this.#rolls].sort((a, b) => b.size - a.size);
      const freed = most?.forget() ?? 0;
      if (freed === 0) return;
      size -= freed;
    }
  }

  /**
   * Unreadable ones go on hold.
   * @returns why it stopped early (node busy or unreachable); the rest stays waiting.
   */
  async read(provider: Provider, entries: readonly Listed[]): Promise<TransportError | undefined> {
    let busy: TransportError | undefined;
    let silent: readonly TransportError[] = [];
    await inParallel(entries, async (entry) => {
      if (busy !== undefined || silent.length >= DEFAULT_CONCURRENCY) return;
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
        this.onHold.failed(entry, String(error));
      }
    });
    return busy ?? (silent.length >= DEFAULT_CONCURRENCY ? silent[0] : undefined);
  }

  /**
   * Each time with another node, then with the block.
   *
   * @param hopeless result for transactions after their last try; undefined: no last try.
   * @returns them.
   */
  async retry(providers: readonly Provider[], hopeless: T | undefined): Promise<readonly Hopeless[]> {
    const given: Hopeless[] = [];
    await inParallel(this.onHold.due(RETRIES), async (entry) => {
      const provider = providers[this.onHold.triesOf(entry) % providers.length];
      if (provider === undefined) return;
      try {
        this.#put(entry, await this.#readOrProve(provider, entry));
        this.#options.onRead?.(provider);
      } catch (error) {
        if (isOfNode(error)) this.#options.onRead?.(provider, error);
        if (isTransportError(error) && error.failure === 'rate') return;
        if (!this.onHold.failed(entry, String(error)) || hopeless === undefined) return;
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
    this.onHold.drop(entry);
  }

  /** Drops read transactions that will not be listed again. @param isKept exceptions. */
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

  *there(): Generator<readonly [string, Done<T>]> {
    for (const [signature, one] of this.done) {
      const isListed = this.#rolls.some((roll) => roll.window.get(signature)?.slot === one.slot);
      if (one.sure || isListed) yield [signature, one];
    }
  }

  /** Slots up to this one are no longer needed. */
  settle(slot: number): void {
    for (const roll of this.#rolls) roll.settle(slot);
  }
}
