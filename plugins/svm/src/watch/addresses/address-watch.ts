import type { AddressBook, Alerts, Clock, DepositObservation, Logger, Metrics } from '@causeway/core';
import {
  AddressCalls,
  type HttpClient,
  isTransportError,
  type Provider,
  type Providers,
  RpcError,
  TransportError,
} from '@causeway/core/rpc';
import { AMOUNT_SLICE, amountIn, fetchAccountsAt, inCalls, isTokenAccount, type ShownAccount } from '../../accounts.js';
import { isNative } from '../../addresses.js';
import { readFunding } from '../../deposit-addresses/funding.js';
import { inParallel } from '../../parallel.js';
import type { Head } from '../heads.js';
import type { Vault } from '../read-deposits.js';
import { AccountJob, type Explained, type Held } from './account-job.js';
import { AccountJobs, type Rank } from './account-jobs.js';
import { AccountReader } from './account-read.js';
import type { WatchedAccount } from './arrivals.js';
import { FoundTransfers, type Report } from './found-transfers.js';
import { LedgerRepeats } from './ledger-repeats.js';
import { type WatchedAddress, WatchedAddresses } from './watched-addresses.js';

export interface AddressWatchDeps {
  readonly vault: Vault;
  readonly book: AddressBook;
  /** Token program by configured mint. */
  readonly programs: ReadonlyMap<string, string>;
  readonly providers: Providers;
  readonly clock: Clock;
  readonly log: Logger;
  readonly alerts: Alerts;
  readonly metrics: Metrics;
}

/** Accounts whose balance is read per look: 16 calls. */
const MAX_ACCOUNTS = 1_600;
const BALANCES_AT_ONCE = 4;
/** Steps of jobs per look, of a few calls each. */
const MAX_TURNS = 200;
const JOBS_AT_ONCE = 6;
/**
 * Interval of listing an account again: a sweep and a transfer of the same amount between two looks do not change its
 * balance.
 */
const RELIST_MS = 5_000;
/** Pause between two looks at one head. */
const MIN_PAUSE_MS = 200;
const MAX_REASON_CHARACTERS = 300;
const READINGS = {
  history: 'histories of deposit addresses',
  transaction: 'transactions of deposit addresses',
} as const;

/**
 * Finds transfers to deposit addresses by their balances, separately from the watcher of the depository.
 *
 * Invariant: an account is idle only while its transactions, from the first on, sum up to its balance. So transfers
 * from before it was watched, during downtime, or hidden by a lagging node are found. Calls per look are bounded; an
 * account that cannot be read delays no other, and nothing here delays deposits of the depository.
 *
 * Not guaranteed: how soon. Of many addresses the new and the recently paid ones come first.
 */
export class AddressWatch {
  readonly #deps: AddressWatchDeps;
  readonly #addresses: WatchedAddresses;
  readonly #reader: AccountReader;
  readonly #found: FoundTransfers;
  readonly #jobs = new AccountJobs();
  readonly #calls: AddressCalls<HttpClient>;
  readonly #repeats: LedgerRepeats;
  #isLooking = false;
  #hasFailed = false;
  #next: Head | undefined;
  #wake = new AbortController();
  #stopped = false;
  #onNews: () => void = () => undefined;
  #hasNews = false;

  constructor(deps: AddressWatchDeps) {
    this.#deps = deps;
    this.#addresses = new WatchedAddresses(deps.book, deps.programs);
    this.#reader = new AccountReader(deps.vault);
    const onGone = (deposit: DepositObservation): void => this.#distrust(deposit);
    this.#calls = new AddressCalls(deps.metrics, deps.vault.chainId);
    const providers = { usable: () => this.#usable() };
    this.#repeats = new LedgerRepeats(providers, this.#reader, (deposit) => this.#found.add(deposit, true));
    this.#found = new FoundTransfers(providers, (deposit, slot) => this.#readAgain(deposit, slot), onGone);
  }

  #usable(): readonly Provider[] {
    return this.#deps.providers.usable().map((provider) => this.#calls.of(provider));
  }

  /** Looks in the background; continues with the newest head if a look is in progress. Never throws. */
  onHead(head: Head): void {
    this.#next = { ...head, provider: this.#calls.of(head.provider) };
    this.#wake.abort();
    if (this.#isLooking) return;
    this.#isLooking = true;
    void this.#follow().finally(() => {
      this.#isLooking = false;
    });
  }

  /** Ends a look in progress soon; none begins after that. */
  stop(): void {
    this.#stopped = true;
    this.#wake.abort();
  }

  /** Resolves when something was found, or the signal aborts. */
  news(signal: AbortSignal): Promise<void> {
    if (this.#hasNews || signal.aborted) return Promise.resolve();
    return new Promise((resolve) => {
      this.#onNews = resolve;
      signal.addEventListener('abort', () => resolve(), { once: true });
    });
  }

  /** Nothing can be reported before the next head. */
  wait(): void {
    this.#hasNews = false;
  }

  get hasNews(): boolean {
    return this.#hasNews;
  }

  /** Whether every ledger transfer that may be reverted was read again or has vanished. */
  get isRepeated(): boolean {
    return this.#addresses.isLoaded && this.#repeats.isOver;
  }

  /** See `FoundTransfers.judge`. Transfers found from now on count as news again, because they were not judged. */
  judge({ provider, finalized }: Head): Promise<boolean> {
    this.#hasNews = false;
    return this.#found.judge(this.#calls.of(provider), finalized.height);
  }

  /** See `FoundTransfers.take`. */
  take(report: Report): readonly DepositObservation[] {
    return this.#found.take(report);
  }

  /** Looks until there is neither a newer head nor an account to retry. */
  async #follow(): Promise<void> {
    for (;;) {
      const head = this.#next;
      if (head === undefined || this.#stopped) return;
      this.#next = undefined;
      this.#wake = new AbortController();
      await this.#look(head);
      const pause = this.#pause();
      if (this.#next === undefined && pause !== undefined) {
        await this.#deps.clock.sleep(pause, this.#wake.signal);
        this.#next ??= head;
      }
    }
  }

  /** Milliseconds until something is due without another head; undefined: nothing is. */
  #pause(): number | undefined {
    if (!this.#repeats.isOver || this.#hasFailed) return MIN_PAUSE_MS;
    const due = this.#jobs.nextDue();
    return due === undefined ? undefined : Math.max(MIN_PAUSE_MS, due - this.#deps.clock.monotonic());
  }

  async #look(head: Head): Promise<void> {
    const now = this.#deps.clock.monotonic();
    this.#hasFailed = false;
    await this.#try('transfers to deposit addresses', head, async () => {
      this.#repeats.add(await this.#addresses.refresh(now));
      const wasRepeated = this.isRepeated;
      await this.#repeats.read(head.provider);
      if (!wasRepeated && this.isRepeated) this.#announce();
    });
    await this.#try('deposit addresses', head, () => this.#readBalances(head, now));
    // Each job notes its provider, see `JobDeps.onRead`.
    await this.#work().catch((err: unknown) => {
      this.#hasFailed = true;
      this.#deps.log.error({ err }, 'histories of deposit addresses cannot be read');
    });
    this.#report();
  }

  async #try(name: string, { provider }: Head, task: () => Promise<void>): Promise<void> {
    if (this.#stopped) return;
    const { providers, log } = this.#deps;
    try {
      await task();
      providers.read(name, provider);
    } catch (error) {
      this.#hasFailed = true;
      if (isTransportError(error) || error instanceof RpcError) providers.unread(name, provider, error);
      else log.error({ err: error }, `${name} cannot be read`);
    }
  }

  async #readBalances({ provider, height }: Head, now: number): Promise<void> {
    const accounts = this.#addresses
      .next(MAX_ACCOUNTS, now)
      .flatMap((one) => one.accounts.map((watched) => ({ one, watched })));
    await inParallel(
      inCalls(accounts),
      async (some) => {
        const named = some.map(({ watched }) => watched.account);
        const { slots, accounts: shown } = await fetchAccountsAt(provider.rpc, named, height, AMOUNT_SLICE);
        for (const [n, { one, watched }] of some.entries())
          this.#meet(one, watched, { balance: this.#heldBy(watched, shown[n]), slot: slots[n] as number }, now);
      },
      BALANCES_AT_ONCE,
    );
  }

  #heldBy({ currency }: WatchedAccount, found: ShownAccount | undefined): bigint {
    if (isNative(currency)) return found?.lamports ?? 0n;
    const program = this.#deps.programs.get(currency) ?? '';
    return isTokenAccount(found, program) ? amountIn(found) : 0n;
  }

  #meet(one: WatchedAddress, watched: WatchedAccount, held: Held, now: number): void {
    const { account } = watched;
    const known = one.explained.get(account);
    const job = this.#jobs.get(account);
    if (job !== undefined) {
      if (job.goal.balance !== held.balance) this.#jobs.put('news', job);
      return job.aim(held);
    }
    if (known === undefined) return this.#meetFirst(one, watched, held, now);
    if (held.slot <= known.slot) return;
    if (held.balance !== known.balance) {
      this.#addresses.heat(one.ref.address, now);
      this.#begin('news', one, watched, held);
    } else if (/* guard: svm-looks-again-at-money */ known.balance > 0n && now - known.at >= RELIST_MS) {
      this.#begin('routine', one, watched, held);
    }
  }

  /**
   * An unrecorded transfer is never swept, so an empty account has none. But a restored ledger may have lost transfers
   * together with their sweeps: so after a start the histories of empty accounts are read as well, with low priority.
   */
  #meetFirst(one: WatchedAddress, watched: WatchedAccount, held: Held, now: number): void {
    const { account, currency } = watched;
    if (held.balance === 0n && !one.isEarlier) {
      one.explained.set(account, { ...held, newest: undefined, at: now });
      return;
    }
    let sum = 0n;
    for (const each of one.recorded.values()) if (each.currency === currency) sum += each.amount;
    const rank = held.balance === 0n ? 'idle' : held.balance === sum ? 'routine' : 'news';
    this.#begin(rank, one, watched, held);
  }

  #begin(rank: Rank, one: WatchedAddress, watched: WatchedAccount, held: Held): void {
    if (!this.#jobs.hasRoom(rank)) return;
    const recorded = [...one.recorded.values()].filter(
      ({ state, currency }) => state === 'final' && currency === watched.currency,
    );
    const job = new AccountJob(watched, one.explained.get(watched.account), held, {
      reader: this.#reader,
      isOwn: (account) => one.accounts.some((each) => each.account === account),
      recorded: new Map(recorded.map(({ fundingKey, amount }) => [fundingKey, amount])),
      found: (deposit) => {
        if (this.#found.add(deposit)) this.#announce();
      },
      onRead: (question, provider, refusal) => {
        const { providers } = this.#deps;
        if (refusal === undefined) providers.read(READINGS[question], provider);
        else providers.unread(READINGS[question], provider, refusal);
      },
    });
    this.#jobs.put(rank, job);
  }

  #announce(): void {
    this.#hasNews = true;
    this.#onNews();
  }

  /** In steps, so that a long history does not delay other accounts. */
  async #work(): Promise<void> {
    const { clock } = this.#deps;
    const jobs = this.#jobs.forLook();
    let left = MAX_TURNS;
    while (left > 0 && !this.#stopped) {
      const now = clock.monotonic();
      const some = jobs.due(now).slice(0, left);
      if (some.length === 0) return;
      left -= some.length;
      const usable = this.#usable();
      await inParallel(some, async (job) => this.#end(job, await job.turn(usable, now)), JOBS_AT_ONCE);
      if (usable.length === 0) return;
    }
  }

  #end(job: AccountJob, outcome: Explained | 'more' | 'later'): void {
    const { account, address } = job.watched;
    const one = this.#addresses.get(address);
    if (one !== undefined && (outcome === 'more' || outcome === 'later')) return this.#jobs.postpone(job);
    this.#jobs.drop(account);
    if (one === undefined || outcome === 'more' || outcome === 'later') return;
    one.explained.set(account, { ...outcome, at: this.#deps.clock.monotonic() });
    if (one.explained.size === one.accounts.length) one.recorded = NO_RECORDED_TRANSFERS;
  }

  #report(): void {
    const { alerts, vault } = this.#deps;
    const alert = `deposit-addresses-${vault.chainId}`;
    const stuck = this.#jobs.stuck();
    const [first] = stuck;
    if (first === undefined) return alerts.clear(alert);
    const more = stuck.length === 1 ? '' : ` (and ${stuck.length - 1} more)`;
    const said = `${first.watched.account}${more} of a deposit address is not explained by its history: ${first.why}`;
    alerts.raise(alert, said.slice(0, MAX_REASON_CHARACTERS), { chainId: vault.chainId });
  }

  /** A transfer was reverted: the explanation of its account is invalid. */
  #distrust({ fundingKey, depositAddress }: DepositObservation): void {
    const account = readFunding(fundingKey)?.account;
    if (account === undefined || depositAddress === null) return;
    this.#jobs.drop(account);
    this.#addresses.get(depositAddress)?.explained.delete(account);
  }

  async #readAgain(deposit: DepositObservation, slot: number): Promise<DepositObservation | undefined> {
    const { fundingKey, transactionHash: signature, depositAddress, currency } = deposit;
    const account = readFunding(fundingKey)?.account;
    const [provider] = this.#usable();
    if (account === undefined || depositAddress === null || provider === undefined)
      throw new TransportError(`${signature} cannot be read now`, 'malformed');
    const watched = { address: depositAddress, account, currency };
    const own = (each: string): boolean =>
      this.#addresses.get(depositAddress)?.accounts.some((one) => one.account === each) === true;
    const { deposits } = await this.#reader.read(provider, watched, { signature, slot }, own);
    return deposits.find((one) => one.fundingKey === fundingKey);
  }
}

const NO_RECORDED_TRANSFERS: WatchedAddress['recorded'] = new Map();
