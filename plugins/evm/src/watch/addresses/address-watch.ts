import type {
  AddressBook,
  BlockRef,
  Clock,
  DepositBatch,
  DepositObservation,
  Hex,
  Logger,
  Metrics,
} from '@causeway/core';
import { AddressCalls, type HttpClient, isTransportError, type Providers, RpcError, sideOf } from '@causeway/core/rpc';
import { NATIVE } from '../../addresses.js';
import { brief } from '../../brief.js';
import type { ChainConfig } from '../../chain-config.js';
import { readRangeKey } from '../../deposit-addresses/funding-key.js';
import { chunksOf, type Place } from '../../deposit-addresses/read-arrived.js';
import { ViewMoved } from '../../logs/view-moved.js';
import type { Head, Heads } from '../heads.js';
import { ahead } from './ahead.js';
import { type Arrival, Arrivals } from './arrivals.js';
import { type Bucket, Buckets } from './buckets.js';
import { EarlyLook } from './early-look.js';
import { HeldBack } from './held-back.js';
import { InnerPayments } from './inner-payments.js';
import { AddressLedger, uncovered } from './ledger.js';
import { QuickLook } from './quick-look.js';
import { repeat, repeatedHeights } from './repeat.js';
import { type InHand, type News, type Reporting, report } from './report.js';
import { accountKey, type Shown } from './shown.js';
import { mayMoveTokens, type TokenTransfer, tokenTransfers } from './token-transfers.js';

export interface AddressWatchDeps {
  readonly config: ChainConfig;
  readonly factory: Hex;
  readonly book: AddressBook;
  readonly providers: Pick<Providers, 'read' | 'unread'>;
  readonly feed: Pick<Heads, 'current'>;
  readonly clock: Clock;
  readonly log: Logger;
  readonly metrics: Metrics;
  readonly signal: AbortSignal;
}

/** Calls per head for new addresses. */
const MAX_FRESH = 40;
const CHUNK_CONCURRENCY = 8;
/** Buckets read concurrently, with two calls each. */
const BUCKET_CONCURRENCY = 4;
const ADDRESSES_PER_READ = 500;
/** With more addresses than this, each block is first searched for payments to any of them (`QuickLook`). */
const QUICK_LOOK_ABOVE = 2_000;
/** New heads within which the tokens of all addresses are read once, if there are few addresses. */
const SCAN_HEADS = 32;
const READING = 'deposit addresses';
const RETRY_MS = [50, 250, 1_000] as const;
/** Failures after which arrivals are reported without their transactions. */
const FAILURES_BEFORE_REPORT = 3;

type Reported = (news: readonly News[], inHand?: InHand) => Promise<readonly DepositObservation[]>;

/**
 * Finds transfers to deposit addresses by the cumulative sum that arrived at each: its balance and what was swept.
 *
 * Per head, for each thousand addresses: one call for native coin, one log query for tokens. With many addresses,
 * blocks are searched first, in a few calls for all addresses. A token transfer is also found without its event, by
 * periodic readings of each address: a log index may lag, and some tokens log nothing. A new address is read in all
 * currencies. A newer head interrupts: the rest is then read at that head.
 *
 * Not guaranteed: arrivals of a token that took from an address's balance before, up to what it took.
 */
export class AddressWatch {
  readonly #deps: AddressWatchDeps;
  readonly #reporting: Reporting;
  readonly #currencies: readonly string[];
  readonly #ledger = new AddressLedger();
  readonly #buckets = new Buckets();
  /** Addresses that were not read yet; true: their recorded transfers are known. */
  readonly #fresh = new Map<string, boolean>();
  readonly #look: QuickLook;
  readonly #arrivals: Arrivals;
  readonly #held: HeldBack;
  readonly #early: EarlyLook;
  readonly #calls: AddressCalls<HttpClient>;
  #begun = false;
  #freshFirst = false;
  #heads = 0;
  #turn = 0;
  #failures = 0;

  constructor(deps: AddressWatchDeps) {
    const { config, factory } = deps;
    this.#deps = deps;
    this.#currencies = [...config.currencies.keys()];
    const tokens = this.#currencies.filter((currency): currency is Hex => currency !== NATIVE);
    this.#held = new HeldBack(deps.clock);
    const inner = new InnerPayments({
      clock: deps.clock,
      watched: { has: (address) => deps.book.watched.has(address) },
      traceMs: config.watch.traceMs,
    });
    this.#reporting = { chainId: config.facts.id, tokens, ledger: this.#ledger, factory, held: this.#held, inner };
    this.#look = new QuickLook(tokens);
    this.#arrivals = new Arrivals(deps);
    this.#early = new EarlyLook(this.#look, this.#arrivals);
    this.#calls = new AddressCalls(deps.metrics, config.facts.id);
  }

  /**
   * Milliseconds until the last head should be read again because a part could not be read; undefined: all of it was
   * read.
   */
  get retryMs(): number | undefined {
    return this.#failures === 0 ? this.#held.retryMs : RETRY_MS[Math.min(this.#failures, RETRY_MS.length) - 1];
  }

  /**
   * Transfers to addresses that the batch must repeat. Called once for each batch, the first one included.
   *
   * @throws ViewMoved, RpcError, TransportError: the batch must wait.
   */
  async repeated(batch: DepositBatch, head: Head): Promise<readonly DepositObservation[]> {
    const { rewoundTo } = batch;
    if (!this.#begun || rewoundTo !== undefined) {
      await this.#update();
      if (rewoundTo !== undefined) this.#rewind(rewoundTo);
      await this.#seed([...this.#fresh].flatMap(([address, isSeeded]) => (isSeeded ? [] : [address])));
      this.#begun = true;
    }
    const { least, includes } = repeatedHeights(batch);
    const accounts = this.#ledger.at(least, includes);
    return accounts.length === 0 ? [] : repeat(this.#reporting, accounts, batch, this.#onSide(head));
  }

  /** Begins to look at a head that is not read yet. */
  begin(seen: Head): void {
    if (this.#begun && this.#isLookedAt) this.#early.begin(this.#onSide(seen), this.#buckets);
  }

  /** New transfers up to this head, in parts. Failures only delay them. */
  async *news(seen: Head, finalized: BlockRef): AsyncGenerator<readonly DepositObservation[]> {
    const head = this.#onSide(seen);
    try {
      this.#ledger.settle(finalized.height);
      for await (const news of this.#parts(head, finalized)) {
        if (news.length > 0) yield news;
        if (this.#isSuperseded(seen)) break;
      }
      this.#deps.providers.read(READING, head.provider);
      this.#failures = 0;
    } catch (error) {
      if (!(isTransportError(error) || error instanceof RpcError || error instanceof ViewMoved)) throw error;
      this.#failures += 1;
      this.#deps.providers.unread(READING, head.provider, error);
      this.#deps.log.warn({ error: brief(String(error)), height: head.height }, 'deposit addresses cannot be read yet');
    }
  }

  async *#parts(head: Head, finalized: BlockRef): AsyncGenerator<readonly DepositObservation[]> {
    const reported: Reported = (news, inHand = { transfers: [] }) =>
      report(this.#reporting, news, inHand, head, finalized, this.#failures < FAILURES_BEFORE_REPORT);
    if (this.#isLookedAt) {
      const { look, found } = await this.#early.take(head, this.#buckets);
      const news = await reported(this.#newsIn(found, this.#farthest(head)), look);
      this.#look.done(head);
      yield news;
    }
    yield await reported(await this.#heldBack(head));
    await this.#update();
    // A newer head interrupts. New addresses, which any client can request, and the others begin every second head in turn.
    this.#freshFirst = !this.#freshFirst;
    const [first, then] = this.#freshFirst
      ? [this.#readFresh, this.#readBuckets]
      : [this.#readBuckets, this.#readFresh];
    yield* first.call(this, head, reported);
    yield* then.call(this, head, reported);
    yield await reported(await this.#takeTurn(head));
  }

  async *#readFresh(head: Head, reported: Reported): AsyncGenerator<readonly DepositObservation[]> {
    for (const chunks of groupsOf(this.#freshChunks(), CHUNK_CONCURRENCY)) {
      const addresses = chunks.flat();
      const found = (await Promise.all(chunks.map((some) => this.#arrivals.of(some, this.#currencies, head)))).flat();
      await this.#seed(unseeded(this.#fresh, found));
      const first = this.#newsIn(found, this.#farthest(head)).map((one) => ({ ...one, isFirst: true }));
      const news = await reported(first);
      for (const address of addresses) {
        this.#fresh.delete(address);
        this.#buckets.add(address, placeOf(head));
      }
      yield news;
    }
  }

  async *#readBuckets(head: Head, reported: Reported): AsyncGenerator<readonly DepositObservation[]> {
    const groups = groupsOf(this.#buckets.due(head), BUCKET_CONCURRENCY);
    const read = (buckets: readonly Bucket[]) => Promise.all(buckets.map((bucket) => this.#readBucket(bucket, head)));
    for await (const { item: buckets, answer } of ahead(groups, read)) {
      const news = answer.flatMap((one) => one.news);
      const transfers = answer.flatMap((one) => one.transfers);
      const found = await reported(news, { transfers, paid: this.#paidByContracts(news, head) });
      for (const bucket of buckets) bucket.readTo = placeOf(head);
      yield found;
    }
  }

  /**
   * Whether blocks are searched: not with few addresses, nor where blocks cannot be read; then only the state of
   * addresses is.
   */
  get #isLookedAt(): boolean {
    return this.#buckets.size > QUICK_LOOK_ABOVE && this.#failures < FAILURES_BEFORE_REPORT;
  }

  #freshChunks(): readonly (readonly string[])[] {
    return chunksOf([...this.#fresh.keys()], this.#currencies.length).slice(0, MAX_FRESH);
  }

  async #readBucket(
    { addresses, readTo }: Bucket,
    head: Head,
  ): Promise<{ readonly news: readonly News[]; readonly transfers: readonly TokenTransfer[] }> {
    const follows = readTo?.id === head.parentHash;
    if (follows && head.empty) return { news: [], transfers: [] };
    const all = [...addresses];
    const from = readTo?.height ?? this.#farthest(head);
    const [coins, { found, transfers }] = await Promise.all([
      this.#arrivals.of(all, [NATIVE], head),
      this.#look.covers(from, head) || (follows && !mayMoveTokens(head, this.#reporting.tokens))
        ? { found: [], transfers: [] }
        : this.#readTokens(all, from, head),
    ]);
    return { news: this.#newsIn([...coins, ...found], from), transfers };
  }

  /** Direct payments by transactions were reported by the block search. */
  #paidByContracts(news: readonly News[], head: Head): ReadonlyMap<string, readonly Shown[]> {
    const covered = news.filter(({ currency, from }) => currency === NATIVE && this.#look.covers(from, head));
    return new Map(covered.map((one) => [accountKey(one), []]));
  }

  /** Reads tokens of the addresses with transfer events, or of all where there are too many events. */
  async #readTokens(
    addresses: readonly string[],
    from: number,
    head: Head,
  ): Promise<{ readonly found: readonly Arrival[]; readonly transfers: readonly TokenTransfer[] }> {
    const { tokens } = this.#reporting;
    const near = head.height - from <= this.#deps.config.watch.maxRange;
    const transfers = near ? await tokenTransfers(head.provider, tokens, addresses, { from, head }) : undefined;
    const asked =
      transfers === undefined ? tokens : tokens.filter((token) => transfers.some((one) => one.token === token));
    const found: Arrival[] = [];
    for (const token of asked) {
      const own = transfers?.filter((one) => one.token === token).map(({ to }) => to) ?? addresses;
      found.push(...(await this.#arrivals.of([...new Set(own)], [token], head)));
    }
    return { found, transfers: transfers ?? [] };
  }

  async #heldBack(head: Head): Promise<readonly News[]> {
    const accounts = this.#held.accounts();
    const found: Arrival[] = [];
    for (const token of new Set(accounts.map(({ currency }) => currency))) {
      const own = accounts.filter(({ currency }) => currency === token).map(({ address }) => address);
      found.push(...(await this.#arrivals.of(own, [token], head)));
    }
    const news = this.#newsIn(found, this.#farthest(head)).map((one) => ({ ...one, isFirst: true }));
    const left = new Set(news.map(accountKey));
    // These were reported since, or removed by a reorg.
    for (const account of accounts) if (!left.has(accountKey(account))) this.#held.release(account);
    return news;
  }

  /** Reads tokens of the addresses due for a periodic reading, whatever the logs show. */
  async #takeTurn(head: Head): Promise<readonly News[]> {
    const { tokens } = this.#reporting;
    if (tokens.length === 0 || this.#buckets.size === 0) return [];
    const chunks = chunksOf([...this.#buckets.addresses()], tokens.length);
    this.#heads += 1;
    if (this.#heads % Math.max(1, Math.floor(SCAN_HEADS / chunks.length)) !== 0) return [];
    this.#turn = (this.#turn + 1) % chunks.length;
    const some = chunks[this.#turn] ?? [];
    return this.#newsIn(await this.#arrivals.of(some, tokens, head), this.#farthest(head));
  }

  #newsIn(found: readonly Arrival[], from: number): readonly News[] {
    // Ranges in core's ledger may begin above ignored ones.
    return found.flatMap((one) =>
      uncovered(this.#ledger.known(one), one.arrived).length > 0 ? [{ ...one, from }] : [],
    );
  }

  /** Called after a head is known, so that no address issued before its block is missed. */
  async #update(): Promise<void> {
    const { book } = this.#deps;
    await book.refresh();
    const { watched } = book;
    for (const address of watched.keys())
      if (!this.#buckets.has(address) && !this.#fresh.has(address)) this.#fresh.set(address, false);
    for (const address of [...this.#fresh.keys(), ...this.#buckets.addresses()]) {
      // Transfers that are not final may have to be repeated.
      if (watched.has(address) || this.#ledger.isOpen(address)) continue;
      this.#fresh.delete(address);
      this.#buckets.remove(address);
      this.#ledger.forget(address);
    }
  }

  async #seed(addresses: readonly string[]): Promise<void> {
    for (let from = 0; from < addresses.length; from += ADDRESSES_PER_READ) {
      const some = addresses.slice(from, from + ADDRESSES_PER_READ);
      for (const { fundingKey, state, height } of await this.#deps.book.recorded(some)) {
        const range = readRangeKey(fundingKey);
        if (range === undefined) continue;
        const isFinal = state === 'final';
        const place = { height: height ?? 0, block: undefined, isFinal, transactionHash: '', depositor: '' };
        this.#ledger.add(range, [{ from: range.from, to: range.to, ...place }]);
      }
      for (const address of some) if (this.#fresh.has(address)) this.#fresh.set(address, true);
    }
  }

  /**
   * Final transfers are merged, without their keys: after a reorg among them, all are read from core's ledger again.
   */
  #rewind(to: number): void {
    this.#buckets.rewind({ height: to, id: '0x' });
    this.#look.rewind({ height: to, id: '0x' });
    // guard: evm-dropped-look
    this.#early.drop();
    if (to >= this.#ledger.merged) return;
    this.#ledger.clear();
    this.#buckets.clear();
    this.#fresh.clear();
    for (const address of this.#deps.book.watched.keys()) this.#fresh.set(address, false);
  }

  /** Transfers of older blocks are reported without their transactions. */
  #farthest({ height }: Head): number {
    return Math.max(0, height - this.#deps.config.watch.maxRange);
  }

  /** Uses a separate client, because third parties choose how much there is to read. */
  #onSide(head: Head): Head {
    return { ...head, provider: this.#calls.of(sideOf(head.provider, 'addresses')) };
  }

  #isSuperseded(head: Head): boolean {
    return this.#deps.feed.current !== head || this.#deps.signal.aborted;
  }
}

function placeOf({ height, id }: Head): Place {
  return { height, id };
}

function unseeded(fresh: ReadonlyMap<string, boolean>, found: readonly Arrival[]): readonly string[] {
  return [...new Set(found.map(({ address }) => address))].filter((address) => fresh.get(address) === false);
}

function groupsOf<T>(all: readonly T[], size: number): readonly (readonly T[])[] {
  return Array.from({ length: Math.ceil(all.length / size) }, (_, n) => all.slice(n * size, (n + 1) * size));
}
