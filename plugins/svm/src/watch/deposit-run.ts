import type { DepositBatch, DepositObservation, UnreadTransaction } from '@causeway/core';
import type { Provider, RpcError, TransportError } from '@causeway/core/rpc';
import { keptAbove } from '../history-kept.js';
import { Backlog, type Hopeless } from '../listing/backlog.js';
import type { Listed } from '../listing/page.js';
import { inParallel } from '../parallel.js';
import { Blocks } from '../transactions/block-accounts.js';
import type { AddressWatch } from './addresses/address-watch.js';
import { type Cursor, writeCursor } from './cursor.js';
import type { WatcherDeps } from './deposit-watcher.js';
import { type Fates, fatesOf, type Unsure } from './fates.js';
import { blockAt, type Head, headRef, slotId } from './heads.js';
import { PromisedFirst } from './promised-first.js';
import { broughtNothing, depositsIn } from './read-listed.js';

/** Transactions read between two looks at the head. */
const MAX_TRANSACTIONS_PER_PASS = 500;
const MAX_REASON_CHARACTERS = 300;
const NO_DEPOSITS: Deposits = Object.freeze([]);

type Deposits = readonly DepositObservation[];

/** State of a run that has reported nothing: deposits of the ledger that are not final must be repeated together. */
interface Fresh {
  readonly from: number;
  readonly to: number;
}

/** Final in another slot than reported. */
interface Moved {
  readonly reported: Unsure;
  readonly slot: number;
  readonly deposits: Deposits | undefined;
}

/**
 * Invariant: a slot is settled once everything in it was listed once final for `OVERLAP_SLOTS`, by a node with all blocks, and
 * read. A finality is reported once every earlier report was found again or is gone. Promised orders are reported as
 * soon as they are read.
 */
export class DepositRun {
  readonly #deps: WatcherDeps;
  readonly #addresses: AddressWatch | undefined;
  readonly #first: PromisedFirst;
  readonly #blocks = new Blocks();
  #cursor: Cursor | undefined;
  #backlog: Backlog<Deposits>;
  #fresh: Fresh | undefined;
  /** Read, not reported; by signature. */
  readonly #unreported = new Set<string>();
  /** Read before finality and not confirmed since: possibly reverted. By signature. */
  readonly #unsure = new Map<string, Unsure>();
  #final = 0;
  readonly #hopeless: Hopeless[] = [];
  /** `changes` at the last proof that nothing above the cursor is missing. */
  #proven = -1;
  /** Provider changes: a new one may lack transactions, for example after downtime. */
  changes = 0;
  /** Everything up to the head was read, except transactions on hold. */
  isThrough = false;

  constructor(deps: WatcherDeps, cursor: Cursor | undefined, addresses?: AddressWatch) {
    this.#deps = deps;
    this.#addresses = addresses;
    this.#first = new PromisedFirst(deps.isPromised, deps.clock);
    this.#cursor = cursor;
    this.#backlog = this.#backlogAbove(cursor?.settled ?? 0);
    if (cursor !== undefined) this.#fresh = { from: Math.max(cursor.settled, cursor.final), to: cursor.seen };
  }

  #backlogAbove(floor: number): Backlog<Deposits> {
    const { vault, accounts, providers, clock, log, metrics } = this.#deps;
    const onForeign = (mint: string): void => {
      metrics.count('foreign_deposits', 'Transfers to the vault of tokens that are not configured', {
        chain: vault.chainId,
      });
      log.debug({ mint }, 'a token that is not configured arrived in the vault');
    };
    const options = {
      keeps: ({ ok }: Listed) => ok,
      read: async (provider: Provider, entry: Listed) => {
        const deposits = await depositsIn(vault, provider, entry, onForeign);
        const { signature, slot } = entry;
        if (deposits.length === 0) return deposits;
        this.#unreported.add(signature);
        if (slot > this.#final) this.#unsure.set(signature, { signature, slot, deposits });
        return deposits;
      },
      onRead: (provider: Provider, refusal?: RpcError) => {
        if (refusal === undefined) providers.read('transactions', provider);
        else providers.unread('transactions', provider, refusal);
      },
      apart: async ({ rpc }: Provider, entry: Listed) =>
        (await broughtNothing(vault, this.#blocks, rpc, entry)) ? NO_DEPOSITS : undefined,
    };
    return new Backlog(accounts, floor, options, clock);
  }

  /**
   * Advances to the newest head, in one pass.
   * @throws RpcError, TransportError, PrunedError: earlier batches stay.
   */
  async *advance(head: Head): AsyncGenerator<DepositBatch> {
    this.isThrough = true;
    if (this.#cursor === undefined) return yield this.#begin(head);
    // A provider behind the cursor proves nothing.
    if (head.height < this.#cursor.seen) return;
    this.#final = head.finalized.height;
    await this.#list(head, this.#cursor);
    const unread = this.#backlog.unread();
    await this.#first.ask(unread);
    this.#backlog.forget();
    const first = await this.#read(head, this.#promised(unread));
    await this.#retry();
    if (this.#unreported.size > 0 || this.#hopeless.length > 0) yield await this.#batch(head, this.#cursor);
    if (first !== undefined) throw first;
    const failure = await this.#read(head, this.#others());
    yield await this.#batch(head, this.#cursor);
    // A full hold list leaves nothing to do before the next head.
    this.isThrough = this.#backlog.isThrough || this.#backlog.onHold.isFull;
    if (failure !== undefined) throw failure;
  }

  /** Transfers to deposit addresses found since, for the head of the last `advance`. @throws as `advance`. */
  async *again(head: Head): AsyncGenerator<DepositBatch> {
    const cursor = this.#cursor;
    if (cursor !== undefined && head.height >= cursor.seen) yield await this.#batch(head, cursor);
    else this.#addresses?.wait();
  }

  #begin(head: Head): DepositBatch {
    const { height, finalized } = head;
    this.#cursor = { settled: height, seen: height, final: finalized.height, finalTime: finalized.timestamp };
    this.#backlog = this.#backlogAbove(height);
    return { head: headRef(head), finalized, cursor: writeCursor(this.#cursor), deposits: [] };
  }

  /**
   * A provider with all blocks must list slots after downtime. Proven before the list (it may receive blocks later)
   * and after it (it may prune).
   */
  async #list({ provider, height, finalized }: Head, { settled }: Cursor): Promise<void> {
    const { changes } = this;
    const prove = (): Promise<void> => keptAbove(provider.rpc, settled, finalized.height);
    const look = { height, final: finalized.height };
    await this.#backlog.list(provider, look, this.#proven === changes ? undefined : prove);
    this.#proven = changes;
  }

  #promised(unread: readonly Listed[]): readonly Listed[] {
    const backlog = this.#backlog;
    const { listedTo } = backlog;
    const there = new Set(unread.map(({ signature }) => signature));
    const isGone = (entry: Listed): boolean =>
      backlog.done.get(entry.signature)?.slot === entry.slot ||
      (entry.slot <= listedTo && !there.has(entry.signature) && !backlog.onHold.has(entry));
    return this.#first.next(MAX_TRANSACTIONS_PER_PASS, isGone).filter((entry) => !backlog.onHold.has(entry));
  }

  /** The oldest first; before them, entries to be repeated after a start, which block finality. */
  #others(): readonly Listed[] {
    if (this.#backlog.onHold.isFull) return [];
    const unread = this.#backlog.unread();
    const { from = 0, to = 0 } = this.#fresh ?? {};
    const isRepeated = ({ slot }: Listed): boolean => slot > from && slot <= to;
    const rest = this.#backlog.readable(unread).filter((entry) => !isRepeated(entry));
    return [...unread.filter(isRepeated), ...rest].slice(0, MAX_TRANSACTIONS_PER_PASS);
  }

  #read({ provider }: Head, entries: readonly Listed[]): Promise<TransportError | undefined> {
    return this.#backlog.read(provider, entries);
  }

  async #retry(): Promise<void> {
    const { providers, alerts, vault } = this.#deps;
    this.#hopeless.push(...(await this.#backlog.retry(providers.usable(), NO_DEPOSITS)));
    const [failing, ...others] = this.#backlog.onHold.failing();
    const alert = `unread-${vault.chainId}`;
    if (failing === undefined) return alerts.clear(alert);
    const more = others.length === 0 ? '' : ` (and ${others.length} more)`;
    const said = `${failing.signature}${more} touched the vault and cannot be read: ${failing.why}`;
    alerts.raise(alert, said.slice(0, MAX_REASON_CHARACTERS), { chainId: vault.chainId });
  }

  async #batch(head: Head, cursor: Cursor): Promise<DepositBatch> {
    const backlog = this.#backlog;
    const { provider, finalized } = head;
    const due = [...this.#unsure.values()].filter(({ slot }) => slot <= finalized.height);
    const fates = await fatesOf(this.#deps.providers, provider, due);
    const moved = await this.#readAgain(provider, fates.moved);
    const unread = await this.#unreadOf(head);
    // Read before judging: transfers read again during that wait for the next batch.
    const isRepeated = this.#addresses?.isRepeated !== false;
    const isOpen = (await this.#addresses?.judge(head)) === true;
    // Nothing fails from here on: each report is made once.
    const lost = this.#part(fates, moved);
    const isRewound = this.#fresh !== undefined && backlog.covers(this.#fresh.from, this.#fresh.to) && isRepeated;
    const waits = this.#fresh !== undefined && !isRewound;
    const isHeld = waits || isOpen || fates.open.length > 0 || moved.some(({ deposits }) => deposits === undefined);
    const rewound = isRewound && this.#fresh !== undefined ? { rewoundTo: this.#fresh.from } : {};
    const news = this.#report(finalized.height, waits, rewound.rewoundTo);
    const most = waits ? (this.#fresh?.from ?? 0) : Number.POSITIVE_INFINITY;
    const readTo = Math.min(backlog.readNow(), most);
    const reported = { height: cursor.final, id: slotId(cursor.final), timestamp: cursor.finalTime };
    const newest = isHeld || finalized.height < cursor.final ? reported : finalized;
    const next = {
      settled: Math.max(cursor.settled, Math.min(backlog.readTo(), most)),
      seen: waits ? cursor.seen : Math.max(cursor.seen, head.height),
      final: newest.height,
      finalTime: newest.timestamp,
    };
    if (isRewound) this.#fresh = undefined;
    this.#cursor = next;
    this.#forget(next.settled);
    const others = this.#addresses?.take({ final: newest.height, waits, rewoundTo: rewound.rewoundTo }) ?? NO_DEPOSITS;
    return {
      head: headRef(head),
      finalized: newest,
      ...rewound,
      cursor: writeCursor(next),
      deposits: [...lost, ...news, ...others],
      ...(readTo < head.height && { readTo, listedTo: Math.min(backlog.listedNow(), most, head.height) }),
      ...(unread.length > 0 && { unread }),
    };
  }

  /** @param rewoundTo above it everything is repeated. */
  #report(final: number, waits: boolean, rewoundTo: number | undefined): Deposits {
    const { done } = this.#backlog;
    const isAgain = (slot: number): boolean => rewoundTo !== undefined && slot > rewoundTo;
    const again = rewoundTo === undefined ? [] : [...done].filter(([, { slot }]) => isAgain(slot)).map(([id]) => id);
    const news: DepositObservation[] = [];
    for (const signature of new Set([...this.#unreported, ...again])) {
      const { slot = 0, value = NO_DEPOSITS } = done.get(signature) ?? {};
      const isFinal = slot <= final && !this.#unsure.has(signature);
      // Deposits that may be reverted are reported together with the ledger's own of that kind.
      if (waits && !isFinal) continue;
      this.#unreported.delete(signature);
      const state = isFinal ? ('final' as const) : ('included' as const);
      news.push(...value.map((one) => ({ ...one, state })));
    }
    return news;
  }

  #readAgain(provider: Provider, moved: Fates['moved']): Promise<readonly Moved[]> {
    const { vault } = this.#deps;
    return inParallel(moved, async ({ reported, slot }) => {
      const place = { signature: reported.signature, slot };
      // An unreadable transaction is retried: it is final but not reported as final.
      const deposits = await depositsIn(vault, provider, place, () => undefined).catch(() => undefined);
      return { reported, slot, deposits };
    });
  }

  /** Separates settled entries and reports those that vanished. */
  #part({ settled, gone }: Fates, moved: readonly Moved[]): Deposits {
    for (const { signature } of settled) this.#unsure.delete(signature);
    const lost: DepositObservation[] = [];
    const lose = ({ signature, deposits }: Unsure, kept: Deposits): void => {
      const keys = new Set(kept.map(({ fundingKey }) => fundingKey));
      this.#unsure.delete(signature);
      this.#unreported.delete(signature);
      const away = deposits.filter(({ fundingKey }) => !keys.has(fundingKey));
      lost.push(...away.map((one) => ({ ...one, state: 'vanished' as const, block: null })));
    };
    for (const reported of gone) {
      lose(reported, NO_DEPOSITS);
      this.#backlog.done.delete(reported.signature);
    }
    for (const { reported, slot, deposits } of moved) {
      if (deposits === undefined) continue;
      lose(reported, deposits);
      this.#backlog.done.set(reported.signature, { slot, value: deposits, sure: true });
      if (deposits.length > 0) this.#unreported.add(reported.signature);
    }
    return lost;
  }

  #forget(settled: number): void {
    const from = this.#fresh?.from ?? Number.POSITIVE_INFINITY;
    this.#backlog.prune(
      ({ slot, value }, signature) =>
        this.#unreported.has(signature) || this.#unsure.has(signature) || (slot > from && value.length > 0),
    );
    this.#backlog.settle(settled);
  }

  async #unreadOf({ provider, finalized }: Head): Promise<readonly UnreadTransaction[]> {
    // Every unreadable transaction is reported, because the cursor moves past each.
    const hopeless = this.#hopeless.slice();
    const unread = await inParallel(hopeless, async ({ entry, why }) => {
      const { signature: transactionHash, slot } = entry;
      // With an unknown time, the finalized block's is an upper limit.
      const block = await blockAt(provider, slot).catch(() => ({ ...finalized, height: slot, id: slotId(slot) }));
      return { transactionHash, block, why: why.slice(0, MAX_REASON_CHARACTERS) };
    });
    this.#hopeless.splice(0, hopeless.length);
    return unread;
  }
}
