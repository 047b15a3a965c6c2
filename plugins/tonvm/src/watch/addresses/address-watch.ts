import type {
  AddressBook,
  Alerts,
  Clock,
  DepositBatch,
  DepositObservation,
  Metrics,
  UnreadTransaction as UnreadReport,
} from '@causeway/core';
import { AddressCalls, isTransportError, type ProviderPool, RpcError, TransportError } from '@causeway/core/rpc';
import type { Blocks } from '../../chain/blocks.js';
import { keepNewest } from '../../chain/keep-newest.js';
import {
  answersHistory,
  Lagging,
  past,
  Refused,
  readAccount,
  type TonAccount,
  type TonProvider,
} from '../../chain/read.js';
import type { TonTransaction, TransactionId, UnreadTransaction } from '../../chain/transaction.js';
import { transferObservation, transferOf } from '../../deposit-addresses/transfers.js';
import type { Depository } from '../../depository.js';
import { writeKey } from '../../funding-key.js';
import type { Toncenter } from '../../http/toncenter.js';
import { heldBy } from '../../jettons.js';
import { unreadReport } from '../unread-report.js';
import { AddressAccounts, type WatchedAccount } from './accounts.js';
import { blocksSince, type ShardBlock, shardTops, touchedIn } from './shards.js';
import { Unanswered } from './unanswered.js';

export interface AddressWatchDeps {
  readonly providers: Pick<ProviderPool<Toncenter>, 'usable' | 'read' | 'unread'>;
  readonly blocks: Blocks;
  readonly depository: Depository;
  readonly clock: Clock;
  readonly alerts: Alerts;
  readonly metrics: Metrics;
  /** Longest time that a sweep may be in flight. */
  readonly sweepMs: number;
  onSeen(transaction: TonTransaction): void;
  onUnread(transaction: UnreadTransaction): void;
  onError(error: unknown): void;
}

/** Masterchain height, and the shards' blocks as of it where they are known. */
export interface Frontier {
  readonly height: number;
  readonly tops?: readonly ShardBlock[];
}

/** Longest reading of one step, so that the depository is not delayed. */
const TURN_MS = 1_000;
/** Maximum blocks to list; beyond that every account is read, whose number bounds the cost. */
const MAX_BLOCKS = 2_000;
/** Transactions per read of an account. */
const TRANSACTIONS_PER_READ = 50;
/** Accounts read concurrently. */
const CONCURRENCY = 8;
/** One in this many steps prefers reading account states to listing blocks. */
const STATES_EVERY = 4;
const MAX_SWEPT = 10_000;
const READING = 'histories of deposit addresses';
const BLOCKS = 'blocks of transfers to deposit addresses';
/** Pause between two judgements of a provider. */
const JUDGE_MS = 5_000;

/**
 * Finds transfers to deposit addresses by the cheaper of two ways: the list of accounts that each block touched, with
 * one request per block, or every account, with one request each. New accounts are read once. Work is done in small
 * steps, so that the depository does not wait for it.
 *
 * A list may omit a transaction, but an account's history cannot: the next listed transaction of the account reveals
 * it.
 */
export class AddressWatch {
  readonly #deps: AddressWatchDeps;
  readonly #book: AddressBook;
  readonly #accounts: AddressAccounts;
  readonly #calls: AddressCalls<Toncenter>;
  /** Accounts to read from their state. */
  readonly #due = new Set<WatchedAccount>();
  readonly #unanswered: Unanswered;
  /** Monotonic, by provider. */
  readonly #judgedAt = new Map<number, number>();
  /** Monotonic time until which a sweep may be in flight, by deposit address. */
  readonly #sweptUntil = new Map<string, number>();
  /** Accounts to read from their newest listed transaction. */
  readonly #touched = new Map<WatchedAccount, TransactionId>();
  #blocks: ShardBlock[] = [];
  #target: Frontier | undefined;
  #frontier: Frontier | undefined;
  /** Block up to which all listed accounts were read. */
  #settled: Frontier | undefined;
  /** Shard blocks in a masterchain block. */
  #density = 1;
  /** Blocks of transactions: no payer has a part in whether a provider shows them. */
  readonly #covering = {
    ofLt: async (provider: TonProvider, lt: bigint) => {
      const { providers, blocks } = this.#deps;
      try {
        const block = await blocks.ofLt(provider, lt);
        providers.read(BLOCKS, provider);
        return block;
      } catch (error) {
        providers.unread(BLOCKS, provider, error);
        throw error;
      }
    },
  };
  /** Number of gaps in the listed blocks so far. */
  #generation = 0;
  #learntAt = -1;
  #hasMore = false;
  #step = 0;
  readonly #seen: DepositObservation[] = [];
  readonly #unread: UnreadReport[] = [];

  /** @param from frontier of an earlier run: blocks since then are listed. */
  constructor(deps: AddressWatchDeps, book: AddressBook, from: Frontier | undefined) {
    this.#deps = deps;
    this.#book = book;
    this.#accounts = new AddressAccounts(book, deps.depository.jettons);
    const { chainId } = deps.depository;
    this.#calls = new AddressCalls(deps.metrics, chainId);
    this.#unanswered = new Unanswered({ alerts: deps.alerts, clock: deps.clock, chainId });
    this.#frontier = from;
    this.#settled = from;
  }

  get frontier(): Frontier | undefined {
    return this.#settled;
  }

  account(raw: string): WatchedAccount | undefined {
    return this.#accounts.get(raw);
  }

  /** A sweep of this address may be in flight: it may be empty at heights above the head. */
  expectSweep(address: string): void {
    this.#sweptUntil.set(address, this.#deps.clock.monotonic() + this.#deps.sweepMs);
    keepNewest(this.#sweptUntil, MAX_SWEPT);
  }

  /** Balance of an account that nothing touched since it was read; undefined: not known at this height. */
  heldAt(raw: string, height: number): bigint | undefined {
    const account = this.#accounts.get(raw);
    if (account && (this.#sweptUntil.get(account.address) ?? 0) > this.#deps.clock.monotonic()) return undefined;
    if (account?.held === undefined || account.mark?.lt !== account.held.lt || account.reading) return undefined;
    const isListed = account.generation === this.#generation && (this.#settled?.height ?? -1) >= height;
    const isOpen = this.#touched.has(account) || this.#due.has(account) || this.#unanswered.has(account);
    return isListed && !isOpen ? account.held.value : undefined;
  }

  /** Uses an account state that was read for another reason. */
  note({ address, last, balance, data }: TonAccount): void {
    const account = this.#accounts.get(address);
    if (account === undefined) return;
    account.held = { lt: last.lt, value: account.jetton ? heldBy(account.jetton.layout, data) : balance };
  }

  /** Call it once per head, before `turn`. Rejects on infrastructure failure. */
  async learn(height: number): Promise<void> {
    if (height === this.#learntAt && !this.#hasMore) return;
    if (height !== this.#learntAt) await this.#book.refresh();
    const { added, more } = await this.#accounts.learn();
    // New accounts are read as of this head or a later one.
    this.#frontier ??= { height };
    this.#settled ??= this.#frontier;
    this.#learntAt = height;
    this.#hasMore = more;
    for (const account of added)
      if (account.mark === undefined || account.generation !== this.#generation) this.#due.add(account);
    for (const account of this.#unanswered.due()) this.#due.add(account);
  }

  /**
   * @param height of a head that the provider has.
   * @returns whether there is more to do. @throws TransportError
   */
  async turn(provider: TonProvider, height: number): Promise<boolean> {
    const { clock } = this.#deps;
    const until = clock.monotonic() + TURN_MS;
    do {
      const step = this.#next(height);
      if (step === undefined) return this.#hasMore;
      await step(this.#calls.of(provider));
    } while (clock.monotonic() < until);
    return true;
  }

  /** Observations, and transactions that cannot be read, up to a height, oldest first. */
  take(height: number): Required<Pick<DepositBatch, 'deposits' | 'unread'>> {
    return { deposits: takeUpTo(this.#seen, height), unread: takeUpTo(this.#unread, height) };
  }

  /** Lists come before states, which only find older transfers; but neither waits for the other to finish. */
  #next(height: number): ((provider: TonProvider) => Promise<void>) | undefined {
    const [touched] = this.#touched;
    if (touched !== undefined) {
      const [account, newest] = touched;
      return (provider) => this.#reading(provider, account, (by) => this.#readTouched(by, account, newest, height));
    }
    this.#settle();
    this.#step += 1;
    const list = this.#listing(height);
    const read = this.#due.size === 0 ? undefined : (provider: TonProvider) => this.#readStates(provider, height);
    return this.#step % STATES_EVERY === 0 ? (read ?? list) : (list ?? read);
  }

  #settle(): void {
    if (this.#blocks.length > 0 || this.#target === undefined) return;
    this.#frontier = this.#target;
    this.#target = undefined;
    this.#settled = this.#frontier;
  }

  #listing(height: number): ((provider: TonProvider) => Promise<void>) | undefined {
    const block = this.#blocks.at(-1);
    if (block !== undefined) return (provider) => this.#list(provider, block, height);
    const from = this.#frontier;
    if (from === undefined || height <= from.height) return undefined;
    const requests = 1 + (height - from.height) * this.#density;
    if (this.#accounts.watched > requests) return (provider) => this.#plan(provider, from, height);
    // A new pass only after the previous one has ended.
    if (this.#due.size === 0) this.#jump(height);
    return undefined;
  }

  /** Reads every account instead of the blocks up to a height. */
  #jump(height: number): void {
    this.#generation += 1;
    this.#blocks = [];
    this.#target = undefined;
    this.#frontier = { height };
    this.#settled = this.#frontier;
    for (const account of this.#accounts.all()) if (!this.#unanswered.waits(account)) this.#due.add(account);
  }

  async #plan(provider: TonProvider, from: Frontier, height: number): Promise<void> {
    await this.#orElseJump(height, async () => {
      const before = from.tops ?? (await shardTops(provider, from.height));
      const tops = await shardTops(provider, height);
      const most = Math.min(MAX_BLOCKS, this.#accounts.watched);
      const blocks = await blocksSince(provider, before, tops, most);
      if (blocks === undefined) return this.#jump(height);
      this.#density = Math.max(tops.length, blocks.length) / Math.max(1, height - from.height);
      this.#blocks = [...blocks].sort((a, b) => b.seqno - a.seqno);
      this.#target = { height, tops };
    });
  }

  /** A refusal means that the provider has no such block any more, or no lists. */
  async #orElseJump(height: number, task: () => Promise<void>): Promise<void> {
    try {
      await task();
    } catch (error) {
      if (!(error instanceof RpcError)) throw error;
      this.#deps.onError(error);
      this.#jump(height);
    }
  }

  async #list(provider: TonProvider, block: ShardBlock, height: number): Promise<void> {
    await this.#orElseJump(height, async () => {
      for (const { account: raw, lt, hash } of await touchedIn(provider, block)) {
        const account = this.#accounts.get(raw);
        if (account === undefined) continue;
        const newest = this.#touched.get(account);
        if (newest === undefined || newest.lt < lt) this.#touched.set(account, { lt, hash });
      }
      this.#blocks = this.#blocks.filter((one) => one !== block);
    });
  }

  /** A failing account is retried with another provider and does not delay the other accounts. */
  async #reading(
    provider: TonProvider,
    account: WatchedAccount,
    read: (provider: TonProvider) => Promise<void>,
  ): Promise<void> {
    const { providers } = this.#deps;
    const others = providers.usable().filter(({ index }) => index !== provider.index);
    const asked = [provider, ...others.map((other) => this.#calls.of(other))];
    let why = '';
    for (const one of asked) {
      try {
        await read(one);
        return this.#unanswered.delete(account);
      } catch (error) {
        if (!isTransportError(error) && !(error instanceof RpcError)) throw error;
        if (one === provider && (!isOfAccount(error) || error instanceof Lagging)) {
          this.#rotate(account);
          throw error;
        }
        this.#deps.onError(error);
        why = error.message;
      }
    }
    this.#touched.delete(account);
    this.#due.delete(account);
    this.#unanswered.add(account, why);
    for (const one of asked) await this.#judge(one);
  }

  /** Anyone can pay a deposit address: only what is refused of the depository too is the provider's fault. */
  async #judge(provider: TonProvider): Promise<void> {
    const { providers, depository, clock } = this.#deps;
    const now = clock.monotonic();
    if (now - (this.#judgedAt.get(provider.index) ?? Number.NEGATIVE_INFINITY) < JUDGE_MS) return;
    this.#judgedAt.set(provider.index, now);
    try {
      await answersHistory(provider, depository.raw);
      providers.read(READING, provider);
    } catch (error) {
      if (!isTransportError(error) && !(error instanceof RpcError)) throw error;
      providers.unread(READING, provider, error);
    }
  }

  #rotate(account: WatchedAccount): void {
    const newest = this.#touched.get(account);
    if (newest !== undefined && this.#touched.delete(account)) this.#touched.set(account, newest);
    if (this.#due.delete(account)) this.#due.add(account);
  }

  async #readTouched(
    provider: TonProvider,
    account: WatchedAccount,
    newest: TransactionId,
    height: number,
  ): Promise<void> {
    const isListed = account.mark !== undefined && account.generation === this.#generation;
    if (!isListed && (account.isWatched || this.#due.has(account))) {
      await this.#readState(provider, account, height);
      if (!this.#due.has(account)) this.#touched.delete(account);
      return;
    }
    if (!isListed) return void this.#touched.delete(account);
    if (await this.#readBack(provider, account, newest)) this.#touched.delete(account);
  }

  async #readStates(provider: TonProvider, height: number): Promise<void> {
    const some = [...take(this.#due, provider.rpc.isScarce ? 1 : CONCURRENCY)];
    const read = some.map((account) => this.#reading(provider, account, (by) => this.#readState(by, account, height)));
    // Waits for all readings, so that no account is read twice at the same time.
    const failed = (await Promise.allSettled(read)).find(({ status }) => status === 'rejected');
    if (failed?.status === 'rejected') throw failed.reason;
  }

  async #readState(provider: TonProvider, account: WatchedAccount, height: number): Promise<void> {
    const generation = this.#generation;
    if (account.reading === undefined) {
      const state = await readAccount(provider, account.raw, height);
      this.note(state);
      account.generation = generation;
      if (state.last.lt === 0n) account.mark = state.last;
      else if (!(await this.#readBack(provider, account, state.last))) return;
    } else if (!(await this.#readBack(provider, account, account.reading.newest))) return;
    account.recorded = undefined;
    this.#due.delete(account);
  }

  /** @returns whether it reached a transaction that was read before. */
  async #readBack(provider: TonProvider, account: WatchedAccount, newest: TransactionId): Promise<boolean> {
    const { mark } = account;
    if (mark !== undefined && newest.lt <= mark.lt && account.reading === undefined) return true;
    const reading = account.reading ?? { newest, next: newest };
    account.reading = reading;
    let read = 0;
    for await (const transaction of past(provider, account.raw, reading.next)) {
      this.#deps.providers.read(READING, provider);
      if (isKnown(transaction, mark)) break;
      await this.#meet(provider, account, transaction);
      reading.next = transaction.previous;
      if (reading.next.lt === 0n || isKnown(reading.next, mark)) break;
      read += 1;
      if (read === TRANSACTIONS_PER_READ) return false;
    }
    account.mark = reading.newest;
    account.reading = undefined;
    // It was read from a list in the meantime.
    return newest.lt <= account.mark.lt;

    function isKnown(one: TransactionId, known: TransactionId | undefined): boolean {
      if (known === undefined || one.lt > known.lt) return false;
      if (known.lt === 0n || one.hash === known.hash) return true;
      account.mark = undefined;
      account.reading = undefined;
      throw new TransportError(`${provider.name}: ${account.raw} shows another history than before`, 'malformed');
    }
  }

  async #meet(
    provider: TonProvider,
    account: WatchedAccount,
    transaction: TonTransaction | UnreadTransaction,
  ): Promise<void> {
    const { depository, onSeen, onUnread } = this.#deps;
    if ('unread' in transaction) {
      this.#unread.push(await unreadReport(this.#covering, provider, transaction));
      return onUnread(transaction);
    }
    if (transferOf(depository, account, transaction) === undefined) return;
    if (account.recorded?.has(writeKey(transaction))) return;
    const block = await this.#covering.ofLt(provider, transaction.lt);
    const seen = transferObservation(depository, account, transaction, block);
    if (seen === undefined) return;
    onSeen(transaction);
    this.#seen.push(seen);
  }
}

/** The answer is about this account; others may be answered. */
function isOfAccount(error: RpcError | TransportError): boolean {
  if (error instanceof RpcError || error instanceof Refused) return true;
  return error.failure === 'malformed' || error.failure === 'tooLarge';
}

function takeUpTo<T extends { readonly block: { readonly height: number } | null }>(all: T[], height: number): T[] {
  const taken = all.filter(({ block }) => block !== null && block.height <= height);
  all.splice(0, all.length, ...all.filter((one) => !taken.includes(one)));
  return taken.sort((a, b) => (a.block?.height ?? 0) - (b.block?.height ?? 0));
}

function* take<T>(all: Iterable<T>, most: number): Generator<T> {
  let taken = 0;
  for (const one of all) {
    if (taken === most) return;
    taken += 1;
    yield one;
  }
}
