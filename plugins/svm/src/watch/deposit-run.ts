import type { DepositBatch, DepositObservation, UnreadTransaction } from '@causeway/core';
import type { Provider, RpcError, TransportError } from '@causeway/core/rpc';
import { keptAbove } from '../history-kept.js';
import { Backlog, type Hopeless } from '../listing/backlog.js';
import type { Listed } from '../listing/page.js';
import { inParallel } from '../parallel.js';
import { Blocks } from '../transactions/block-accounts.js';
import { type Cursor, writeCursor } from './cursor.js';
import type { WatcherDeps } from './deposit-watcher.js';
import { type Fates, fatesOf, type Unsure } from './fates.js';
import { blockAt, type Head, headRef, slotId } from './heads.js';
import { PromisedFirst } from './promised-first.js';
import { broughtNothing, depositsIn } from './read-listed.js';

/** Transactions that are read between two looks at what is new. */
const MOST_AT_ONCE = 500;
/** Characters of a text for operators. */
const MOST_TEXT = 300;
const NOTHING: Deposits = Object.freeze([]);

type Deposits = readonly DepositObservation[];

/** Of a run that has told of nothing yet: what the ledger may have that is not final, which is to be repeated together. */
interface Fresh {
  readonly from: number;
  readonly to: number;
}

/** One that is final in another slot than it was told of. */
interface Moved {
  readonly told: Unsure;
  readonly slot: number;
  /** Undefined: it cannot be read there. */
  readonly deposits: Deposits | undefined;
}

/**
 * One run of the watcher: what it has listed, read and told of.
 *
 * Invariant: a slot is settled once everything in it was listed after it had been final for a while, by a node that has all
 * blocks, and read. A finality is told of once all that was told of up to there was found again, or is gone; until then an
 * older one is. What names a promised order is told of as soon as it is read, whatever waits before it.
 */
export class DepositRun {
  readonly #deps: WatcherDeps;
  readonly #first: PromisedFirst;
  readonly #blocks = new Blocks();
  #cursor: Cursor | undefined;
  #backlog: Backlog<Deposits>;
  #fresh: Fresh | undefined;
  /** Read, and not told of; by signature. */
  readonly #untold = new Set<string>();
  /** Read while not final, and not found again since that is: they may have left the chain. By signature. */
  readonly #unsure = new Map<string, Unsure>();
  /** Newest final slot of the head that is looked at. */
  #final = 0;
  readonly #hopeless: Hopeless[] = [];
  /** `changes` when it was proven last that nothing above the cursor is missing. */
  #proven = -1;
  /** Number of times that another provider came into use: it may lack transactions, for example after a time of being down. */
  changes = 0;
  /** Everything up to the head was read, but for what is set aside. */
  isThrough = false;

  constructor(deps: WatcherDeps, cursor: Cursor | undefined) {
    this.#deps = deps;
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
      log.debug({ mint }, 'a token that is not configured came to the vault');
    };
    const options = {
      keeps: ({ ok }: Listed) => ok,
      read: async (provider: Provider, entry: Listed) => {
        const deposits = await depositsIn(vault, provider, entry, onForeign);
        const { signature, slot } = entry;
        if (deposits.length === 0) return deposits;
        this.#untold.add(signature);
        if (slot > this.#final) this.#unsure.set(signature, { signature, slot, deposits });
        return deposits;
      },
      onRead: (provider: Provider, refusal?: RpcError) => {
        if (refusal === undefined) providers.read('transactions', provider);
        else providers.unread('transactions', provider, refusal);
      },
      apart: async ({ rpc }: Provider, entry: Listed) =>
        (await broughtNothing(vault, this.#blocks, rpc, entry)) ? NOTHING : undefined,
    };
    return new Backlog(accounts, floor, options, clock);
  }

  /**
   * Advances as far as it can with one look at the chain.
   * @throws RpcError, TransportError, PrunedError: batches told by then stay.
   */
  async *advance(head: Head): AsyncGenerator<DepositBatch> {
    this.isThrough = true;
    if (this.#cursor === undefined) return yield this.#begin(head);
    // A provider that lags behind the cursor proves nothing.
    if (head.height < this.#cursor.seen) return;
    this.#final = head.finalized.height;
    await this.#list(head, this.#cursor);
    const unread = this.#backlog.unread();
    await this.#first.ask(unread);
    this.#backlog.forget();
    const first = await this.#read(head, this.#promised(unread));
    await this.#retry();
    if (this.#untold.size > 0 || this.#hopeless.length > 0) yield await this.#batch(head, this.#cursor);
    if (first !== undefined) throw first;
    const trouble = await this.#read(head, this.#others());
    yield await this.#batch(head, this.#cursor);
    // With so much set aside there is nothing to do before the next head.
    this.isThrough = this.#backlog.isThrough || this.#backlog.aside.isFull;
    if (trouble !== undefined) throw trouble;
  }

  /** From now on. */
  #begin(head: Head): DepositBatch {
    const { height, finalized } = head;
    this.#cursor = { settled: height, seen: height, final: finalized.height, finalTime: finalized.timestamp };
    this.#backlog = this.#backlogAbove(height);
    return { head: headRef(head), finalized, cursor: writeCursor(this.#cursor), deposits: [] };
  }

  /**
   * What a provider lacks since nobody watched, or since it was away, is not gone: it must be read from one who has it. It must
   * have had it before it listed, since it may have been given it meanwhile, and after, since it may have thrown it away.
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
      (entry.slot <= listedTo && !there.has(entry.signature) && !backlog.aside.has(entry));
    return this.#first.next(MOST_AT_ONCE, isGone).filter((entry) => !backlog.aside.has(entry));
  }

  /** The oldest; before them what is to be repeated after a start, since finality waits for that. */
  #others(): readonly Listed[] {
    if (this.#backlog.aside.isFull) return [];
    const unread = this.#backlog.unread();
    const { from = 0, to = 0 } = this.#fresh ?? {};
    const isRepeated = ({ slot }: Listed): boolean => slot > from && slot <= to;
    const rest = this.#backlog.readable(unread).filter((entry) => !isRepeated(entry));
    return [...unread.filter(isRepeated), ...rest].slice(0, MOST_AT_ONCE);
  }

  /** What stopped it; undefined: nothing did. */
  #read({ provider }: Head, entries: readonly Listed[]): Promise<TransportError | undefined> {
    return this.#backlog.read(provider, entries);
  }

  async #retry(): Promise<void> {
    const { providers, alerts, vault } = this.#deps;
    this.#hopeless.push(...(await this.#backlog.retry(providers.usable(), NOTHING)));
    const [failing, ...others] = this.#backlog.aside.failing();
    const alert = `unread-${vault.chainId}`;
    if (failing === undefined) return alerts.clear(alert);
    const more = others.length === 0 ? '' : ` (and ${others.length} more)`;
    const said = `${failing.signature}${more} touched the vault and cannot be read: ${failing.why}`;
    alerts.raise(alert, said.slice(0, MOST_TEXT), { chainId: vault.chainId });
  }

  async #batch(head: Head, cursor: Cursor): Promise<DepositBatch> {
    const backlog = this.#backlog;
    const { provider, finalized } = head;
    const due = [...this.#unsure.values()].filter(({ slot }) => slot <= finalized.height);
    const fates = await fatesOf(this.#deps.providers, provider, due);
    const moved = await this.#readAgain(provider, fates.moved);
    const unread = await this.#unreadOf(head);
    // From here on nothing fails: what is told of is told of once.
    const lost = this.#part(fates, moved);
    const isRewound = this.#fresh !== undefined && backlog.covers(this.#fresh.from, this.#fresh.to);
    const waits = this.#fresh !== undefined && !isRewound;
    const isHeld = waits || fates.open.length > 0 || moved.some(({ deposits }) => deposits === undefined);
    const rewound = isRewound && this.#fresh !== undefined ? { rewoundTo: this.#fresh.from } : {};
    const news = this.#tell(finalized.height, waits, rewound.rewoundTo);
    const most = waits ? (this.#fresh?.from ?? 0) : Number.POSITIVE_INFINITY;
    const readTo = Math.min(backlog.readNow(), most);
    const told = { height: cursor.final, id: slotId(cursor.final), timestamp: cursor.finalTime };
    const newest = isHeld || finalized.height < cursor.final ? told : finalized;
    const next = {
      settled: Math.max(cursor.settled, Math.min(backlog.readTo(), most)),
      seen: waits ? cursor.seen : Math.max(cursor.seen, head.height),
      final: newest.height,
      finalTime: newest.timestamp,
    };
    if (isRewound) this.#fresh = undefined;
    this.#cursor = next;
    this.#forget(next.settled);
    return {
      head: headRef(head),
      finalized: newest,
      ...rewound,
      cursor: writeCursor(next),
      deposits: [...lost, ...news],
      ...(readTo < head.height && { readTo, listedTo: Math.min(backlog.listedNow(), most, head.height) }),
      ...(unread.length > 0 && { unread }),
    };
  }

  /** @param rewoundTo above it everything is repeated. */
  #tell(final: number, waits: boolean, rewoundTo: number | undefined): Deposits {
    const { done } = this.#backlog;
    const isAgain = (slot: number): boolean => rewoundTo !== undefined && slot > rewoundTo;
    const again = rewoundTo === undefined ? [] : [...done].filter(([, { slot }]) => isAgain(slot)).map(([id]) => id);
    const news: DepositObservation[] = [];
    for (const signature of new Set([...this.#untold, ...again])) {
      const { slot = 0, value = NOTHING } = done.get(signature) ?? {};
      const isFinal = slot <= final && !this.#unsure.has(signature);
      // What may leave the chain again is told of together with what the ledger has of that kind.
      if (waits && !isFinal) continue;
      this.#untold.delete(signature);
      const state = isFinal ? ('final' as const) : ('included' as const);
      news.push(...value.map((one) => ({ ...one, state })));
    }
    return news;
  }

  #readAgain(provider: Provider, moved: Fates['moved']): Promise<readonly Moved[]> {
    const { vault } = this.#deps;
    return inParallel(moved, async ({ told, slot }) => {
      const place = { signature: told.signature, slot };
      // Where it cannot be read, it is asked for again: it is final, and not told to be.
      const deposits = await depositsIn(vault, provider, place, () => undefined).catch(() => undefined);
      return { told, slot, deposits };
    });
  }

  /** Parts with what is final: what is gone with it is told. */
  #part({ settled, gone }: Fates, moved: readonly Moved[]): Deposits {
    for (const { signature } of settled) this.#unsure.delete(signature);
    const lost: DepositObservation[] = [];
    const lose = ({ signature, deposits }: Unsure, kept: Deposits): void => {
      const keys = new Set(kept.map(({ fundingKey }) => fundingKey));
      this.#unsure.delete(signature);
      this.#untold.delete(signature);
      const away = deposits.filter(({ fundingKey }) => !keys.has(fundingKey));
      lost.push(...away.map((one) => ({ ...one, state: 'vanished' as const, block: null })));
    };
    for (const told of gone) {
      lose(told, NOTHING);
      this.#backlog.done.delete(told.signature);
    }
    for (const { told, slot, deposits } of moved) {
      if (deposits === undefined) continue;
      lose(told, deposits);
      this.#backlog.done.set(told.signature, { slot, value: deposits, sure: true });
      if (deposits.length > 0) this.#untold.add(told.signature);
    }
    return lost;
  }

  /** What nobody asks for any more. */
  #forget(settled: number): void {
    const from = this.#fresh?.from ?? Number.POSITIVE_INFINITY;
    this.#backlog.prune(
      ({ slot, value }, signature) =>
        this.#untold.has(signature) || this.#unsure.has(signature) || (slot > from && value.length > 0),
    );
    this.#backlog.settle(settled);
  }

  async #unreadOf({ provider, finalized }: Head): Promise<readonly UnreadTransaction[]> {
    // All of them: the cursor goes on past each.
    const hopeless = this.#hopeless.slice();
    const unread = await inParallel(hopeless, async ({ entry, why }) => {
      const { signature: transactionHash, slot } = entry;
      // Where nobody tells when it was, it was not later than this.
      const block = await blockAt(provider, slot).catch(() => ({ ...finalized, height: slot, id: slotId(slot) }));
      return { transactionHash, block, why: why.slice(0, MOST_TEXT) };
    });
    this.#hopeless.splice(0, hopeless.length);
    return unread;
  }
}
