import assert from 'node:assert/strict';
import type { ChainAdapter } from '../../contract/chain-adapter.js';
import type { DepositBatch, DepositObservation } from '../../contract/deposits.js';
import type { FundingKey, OrderId } from '../../contract/ids.js';
import { carriedForm } from '../../domain/short-order.js';
import type { KitBook } from './book.js';
import type { ChainHarness } from './chain-harness.js';
import { until } from './chain-tools.js';

export interface Saved {
  readonly cursor: string;
  readonly known: ReadonlyMap<FundingKey, DepositObservation>;
}

/**
 * Follows an adapter's deposits in the background and applies the batches by the rules of `DepositBatch`, as core
 * does.
 */
export class Watch {
  readonly batches: DepositBatch[] = [];
  /** Durable state after each batch: where a killed service may restart. */
  readonly saved: Saved[] = [];
  readonly #harness: ChainHarness;
  readonly #facts: ChainAdapter['facts'];
  readonly #stop = new AbortController();
  readonly #known: Map<FundingKey, DepositObservation>;
  readonly #done: Promise<void>;
  #failure: unknown;
  #ended = false;

  /** @param book deposit addresses to watch too; absent: the watcher is asked for none. */
  constructor(harness: ChainHarness, adapter: ChainAdapter, from?: Saved, book?: KitBook) {
    this.#harness = harness;
    this.#facts = adapter.facts;
    this.#known = new Map(from?.known ?? []);
    book?.readFrom(() => this.all());
    this.#done = this.#follow(adapter, from?.cursor, book).then(
      () => {
        this.#ended = true;
      },
      (error: unknown) => {
        this.#failure = error;
      },
    );
  }

  async #follow(adapter: ChainAdapter, cursor: string | undefined, book: KitBook | undefined): Promise<void> {
    const wanted = book && { isPromised: async () => new Set<OrderId>(), addresses: book };
    for await (const batch of adapter.watchDeposits(cursor, this.#stop.signal, wanted)) {
      this.#apply(batch);
      this.batches.push(batch);
      this.saved.push({ cursor: batch.cursor, known: new Map(this.#known) });
    }
  }

  #apply(batch: DepositBatch): void {
    const { deposits, finalized } = batch;
    const { rewoundTo = Number.POSITIVE_INFINITY, readFrom = Number.POSITIVE_INFINITY } = batch;
    const readTo = batch.readTo ?? batch.head.height;
    for (const [key, seen] of this.#known) {
      const height = seen.block?.height ?? 0;
      if (seen.state === 'included' && (height > rewoundTo || (height > readFrom && height <= readTo)))
        this.#known.set(key, { ...seen, state: 'vanished', block: null });
    }
    for (const seen of deposits) {
      const before = this.#known.get(seen.fundingKey);
      if (before?.state === 'final') assertSame(before, seen);
      else this.#known.set(seen.fundingKey, seen);
    }
    for (const [key, seen] of this.#known) {
      if (seen.state === 'included' && (seen.block?.height ?? Number.POSITIVE_INFINITY) <= finalized.height)
        this.#known.set(key, { ...seen, state: 'final' });
    }
  }

  get last(): DepositBatch {
    const batch = this.batches.at(-1);
    if (batch === undefined) throw new Error('no batch yet');
    return batch;
  }

  get newest(): Saved {
    const saved = this.saved.at(-1);
    if (saved === undefined) throw new Error('no batch yet');
    return saved;
  }

  reported(): readonly unknown[] {
    return this.present().map(({ fundingKey, amount, orderId, block }) => [fundingKey, amount, orderId, block?.id]);
  }

  /** Everything observed, including vanished deposits, by funding key. */
  all(): readonly DepositObservation[] {
    return [...this.#known.values()].sort((a, b) => (a.fundingKey < b.fundingKey ? -1 : 1));
  }

  present(): readonly DepositObservation[] {
    return this.all().filter(({ state }) => state === 'included' || state === 'final');
  }

  /** Transfers to a deposit address, in blocks. */
  at(address: string): readonly DepositObservation[] {
    return this.present().filter((seen) => seen.depositAddress === address);
  }

  /** The order id as the chain's deposits carry it: whole or its first bytes. */
  carried(orderId: OrderId): string {
    return carriedForm(this.#facts, orderId);
  }

  of(orderId: OrderId): readonly DepositObservation[] {
    return this.present().filter((seen) => seen.orderId === this.carried(orderId));
  }

  ever(orderId: OrderId): readonly DepositObservation[] {
    return this.all().filter((seen) => seen.orderId === this.carried(orderId));
  }

  async until(what: string, good: () => boolean | Promise<boolean>): Promise<void> {
    await until(this.#harness, what, async () => {
      if (this.#failure !== undefined) throw this.#failure;
      if (await good()) return true;
      assert.ok(!this.#ended, `the watch ended while waiting for ${what}`);
      return false;
    });
  }

  /** The only deposit with this order id, once it is observed on the chain. */
  async deposit(orderId: OrderId): Promise<DepositObservation> {
    await this.until('a deposit to be observed', () => this.of(orderId).length > 0);
    const found = this.of(orderId);
    assert.equal(found.length, 1, 'one transfer is one observation');
    return found[0] as DepositObservation;
  }

  /**
   * What the deposits of these orders added to the depository's balance. Waits for finality, when the cost of taking
   * them is known.
   */
  async added(currency: string, orderIds: readonly OrderId[]): Promise<bigint> {
    await this.#harness.finalize();
    await this.until('the deposits to be final', () =>
      orderIds.every((id) => this.of(id).length > 0 && this.of(id).every(({ state }) => state === 'final')),
    );
    const isNative = currency === this.#facts.currency.address;
    return [...new Set(orderIds)]
      .flatMap((id) => this.of(id))
      .reduce((sum, seen) => {
        const brought = seen.currency === currency ? seen.amount : 0n;
        return sum + brought - (isNative ? (seen.cost ?? 0n) : 0n);
      }, 0n);
  }

  /** Until the watcher has processed the present head. */
  async caughtUp(): Promise<void> {
    const head = await this.#harness.head();
    await this.until(`block ${head.height} to be processed`, () => this.#processed(head.height, head.id));
  }

  #processed(height: number, id: string): boolean {
    const { head } = this.last;
    return head.height > height || (head.height === height && head.id === id);
  }

  /** Whether the watch ended; throws its failure. */
  async ended(): Promise<boolean> {
    await until(this.#harness, 'the watch to end', () => this.#ended || this.#failure !== undefined);
    if (this.#failure !== undefined) throw this.#failure;
    return this.#ended;
  }

  abort(): void {
    this.#stop.abort();
  }

  async stop(): Promise<void> {
    this.abort();
    await until(this.#harness, 'the watch to end', () => this.#ended || this.#failure !== undefined);
    await this.#done;
  }
}

/** A final deposit may be observed again but never changes; its cost arrives with finality. */
function assertSame(before: DepositObservation, now: DepositObservation): void {
  const { cost, ...rest } = before;
  const reported = now.state === 'final' && cost !== undefined ? { ...rest, cost } : rest;
  assert.deepEqual({ ...now, state: before.state }, reported, 'a final observation never changes');
}
