import type { DepositObservation, FundingKey } from '@causeway/core';
import { isTransportError, type Provider, RpcError } from '@causeway/core/rpc';
import { fundingKeyAt } from '../../deposit-addresses/funding.js';
import { isOfNode } from '../../listing/backlog.js';
import { type Anchor, historyPage, type Listed, PlaceLostError } from '../../listing/page.js';
import { inParallel } from '../../parallel.js';
import type { AccountReader } from './account-read.js';
import type { WatchedAccount } from './arrivals.js';

/** A balance at a slot, smallest unit. */
export interface Held {
  readonly balance: bigint;
  readonly slot: number;
}

/** A balance that is the sum of the read transactions. */
export interface Explained extends Held {
  /** The newest of these transactions. */
  readonly newest: Anchor | undefined;
}

const READS = 4;
const READS_AT_ONCE = 2;
/** Cached changes, so that no transaction is read twice when the list is walked again. */
const MAX_SIGNATURES_READ = 20_000;
/** Tries that read only above the explained part; later ones walk the whole history. */
const TRIES_ABOVE = 3;
const FIRST_PAUSE_MS = 500;
const LAST_PAUSE_MS = 600_000;

interface Walk {
  readonly goal: Held;
  readonly base: bigint;
  readonly until: Anchor | undefined;
  before: Anchor | undefined;
  newest: Anchor | undefined;
  /** Entries of the listed page that were not read yet. */
  open: readonly Listed[];
  isListed: boolean;
  sum: bigint;
  failure: string | undefined;
}

export interface JobDeps {
  readonly reader: AccountReader;
  readonly isOwn: (account: string) => boolean;
  /** Amounts of final transfers in the ledger, which need not be read. */
  readonly recorded: ReadonlyMap<FundingKey, bigint>;
  found(deposit: DepositObservation): void;
  /** Called for answers, and for refusals that do not concern the account. */
  onRead(question: 'history' | 'transaction', provider: Provider, refusal?: RpcError): void;
}

/**
 * Walks an account's history in small steps, newest first, until its transactions sum up to its balance.
 *
 * Invariant: an account is explained once they do: then no transfer to it was missed, whatever a node omits.
 */
export class AccountJob {
  readonly watched: WatchedAccount;
  readonly #from: Explained | undefined;
  readonly #deps: JobDeps;
  readonly #read = new Map<string, bigint>();
  #goal: Held;
  #walk: Walk | undefined;
  tries = 0;
  /** Monotonic, milliseconds. */
  dueAt = 0;
  why = '';

  constructor(watched: WatchedAccount, from: Explained | undefined, goal: Held, deps: JobDeps) {
    this.watched = watched;
    this.#from = from;
    this.#goal = goal;
    this.#deps = deps;
  }

  get goal(): Held {
    return this.#goal;
  }

  /** Sets the balance to explain; a walk in progress keeps the one that it began with. */
  aim(goal: Held): void {
    if (goal.slot <= this.#goal.slot) return;
    const isNews = goal.balance !== this.#goal.balance;
    this.#goal = goal;
    if (isNews) this.dueAt = 0;
  }

  /**
   * One page, or some transactions.
   *
   * @param providers usable ones; each try asks another.
   * @returns the explained balance, `more` to do now, or `later`.
   */
  async turn(providers: readonly Provider[], now: number): Promise<Explained | 'more' | 'later'> {
    const provider = providers[this.tries % providers.length];
    if (provider === undefined) return 'later';
    this.#walk ??= this.#begin();
    const walk = this.#walk;
    try {
      if (walk.open.length > 0) await this.#readSome(provider, walk);
      else if (!walk.isListed) await this.#list(provider, walk);
    } catch (error) {
      if (!isTransportError(error) && !(error instanceof RpcError)) throw error;
      if (walk.open.length === 0 && isOfNode(error)) this.#deps.onRead('history', provider, error);
      return this.#failed(now, error instanceof PlaceLostError ? 'its history was reverted' : error.message);
    }
    if (walk.open.length > 0 || !walk.isListed) return 'more';
    const { goal, base, sum, failure } = walk;
    if (failure !== undefined) return this.#failed(now, failure);
    // guard: svm-explained-by-sum
    if (base + sum !== goal.balance)
      return this.#failed(now, `it holds ${goal.balance}, and its transactions sum up to ${base + sum}`);
    if (this.#goal.slot === goal.slot || this.#goal.balance === goal.balance)
      return { ...goal, newest: walk.newest ?? walk.until };
    // The history changed since; most of it is cached.
    this.#walk = undefined;
    return 'more';
  }

  #begin(): Walk {
    const from = this.tries < TRIES_ABOVE ? this.#from : undefined;
    const { balance: base = 0n, newest: until } = from ?? {};
    const fresh = { before: undefined, newest: undefined, open: [], isListed: false, sum: 0n, failure: undefined };
    return { goal: this.#goal, base, until, ...fresh };
  }

  async #list(provider: Provider, walk: Walk): Promise<void> {
    const { before, until, goal } = walk;
    const { entries, next } = await historyPage(provider.rpc, this.watched.account, { before, until });
    this.#deps.onRead('history', provider);
    const counted = entries.filter(({ slot }) => slot <= goal.slot);
    walk.newest ??= counted[0];
    walk.before = next;
    walk.isListed = next === undefined;
    const open: Listed[] = [];
    for (const entry of counted) {
      const change = entry.ok ? this.#known(entry) : 0n;
      if (change === undefined) open.push(entry);
      else walk.sum += change;
    }
    walk.open = open;
  }

  #known({ signature, slot }: Listed): bigint | undefined {
    const { account } = this.watched;
    return (
      this.#read.get(`${signature} ${slot}`) ??
      this.#deps.recorded.get(fundingKeyAt(this.#deps.reader.chainId, { signature, account }))
    );
  }

  /** Reads some transactions; an unreadable one does not delay the others. */
  async #readSome(provider: Provider, walk: Walk): Promise<void> {
    const some = walk.open.slice(0, READS);
    await inParallel(
      some,
      async (entry) => {
        try {
          const { change, deposits } = await this.#deps.reader.read(provider, this.watched, entry, this.#deps.isOwn);
          this.#deps.onRead('transaction', provider);
          walk.sum += change;
          this.#keep(entry, change);
          for (const deposit of deposits) this.#deps.found(deposit);
        } catch (error) {
          if (!isTransportError(error) && !(error instanceof RpcError)) throw error;
          if (isTransportError(error) && error.failure === 'rate') throw error;
          if (isOfNode(error)) this.#deps.onRead('transaction', provider, error);
          walk.failure ??= `${entry.signature} cannot be read: ${error.message}`;
        }
      },
      READS_AT_ONCE,
    );
    walk.open = walk.open.slice(some.length);
  }

  #keep({ signature, slot }: Listed, change: bigint): void {
    const [oldest] = this.#read.keys();
    if (this.#read.size >= MAX_SIGNATURES_READ && oldest !== undefined) this.#read.delete(oldest);
    this.#read.set(`${signature} ${slot}`, change);
  }

  #failed(now: number, why: string): 'later' {
    this.#walk = undefined;
    this.why = why;
    this.dueAt = now + Math.min(FIRST_PAUSE_MS * 2 ** Math.min(this.tries, 20), LAST_PAUSE_MS);
    this.tries += 1;
    return 'later';
  }
}
