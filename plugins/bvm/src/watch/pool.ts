import type { Clock, Logger } from '@causeway/core';
import { isTransportError, type Provider, type Providers, RpcError } from '@causeway/core/rpc';
import { type BlockInterest, outpointText, scriptText } from '../raw/block.js';
import type { RawTransaction } from '../raw/transaction.js';
import { ask, OddTransaction, poolEntry, transaction } from '../rpc/node.js';
import { type Listed, PoolSource } from './pool-source.js';

export interface PoolDeps {
  readonly providers: Providers;
  /** What is looked for: `pays` a script of ours, `spends` a confirmed output of ours. */
  readonly interest: BlockInterest;
  /** Where the pool of a provider is published; undefined: nowhere. */
  readonly publishedAt: (provider: Provider) => Promise<string | undefined>;
  readonly pollMs: number;
  /** The chain changed, as a node just told. */
  readonly onBlock: () => void;
  readonly clock: Clock;
  readonly log: Logger;
}

/** A transaction that waits and pays or spends something of ours. */
export interface Pooled {
  readonly tx: RawTransaction;
  /** Change of the pool that brought it; 0 where that is not known. */
  readonly sequence: number;
}

interface Listing {
  readonly txids: readonly string[];
  readonly mempool_sequence: number;
}

const TXID = /^[0-9a-f]{64}$/;
/** Transactions that are fetched together. */
const AT_ONCE = 100;

/**
 * Our part of one node's pool: what waits and pays or spends something of ours. Of the provider in use alone; with another
 * provider comes another pool.
 *
 * A listing of the whole pool is the truth; a node that publishes its changes is heard in between. Nothing here is proof
 * of anything: who tells of it asks the node again.
 */
export class Pool {
  readonly #deps: PoolDeps;
  readonly #source: PoolSource;
  readonly #entries = new Map<string, Pooled>();
  readonly #listeners = new Set<() => void>();
  /** Ids of the last listing and of transactions added since: examined, or about to be. */
  #examined = new Set<string>();
  /** Removed since the last listing was asked for, with the change that did it. */
  readonly #removed = new Map<string, number>();
  /** Transactions that are being fetched, by id; false once the transaction was removed meanwhile. */
  readonly #fetching = new Map<string, boolean>();
  #provider: Provider | undefined;
  #complete = false;
  #hintedAt = Number.NEGATIVE_INFINITY;
  /** Counts changes of `entries`. */
  version = 0;

  constructor(deps: PoolDeps) {
    this.#deps = deps;
    const { providers, publishedAt, pollMs, clock, log } = deps;
    this.#source = new PoolSource({
      ...{ providers, publishedAt, pollMs, clock, log },
      onBlock: deps.onBlock,
      list: (provider) => this.#list(provider),
      onAdded: (provider, txid, sequence) => void this.#added(provider, txid, sequence),
      onRemoved: (txid, sequence) => this.#takenOut(txid, sequence),
      onLost: () => this.#forgetSequence(),
    });
  }

  start(): void {
    this.#source.start();
  }

  async stop(): Promise<void> {
    await this.#source.stop();
  }

  /** Lists now. */
  poke(): void {
    this.#source.poke();
  }

  /**
   * A client says that this transaction waits. It alone is asked about, and one in each poll interval however many are named: the
   * next listing finds the others.
   */
  hint(txid: string): void {
    const [provider, now] = [this.provider, this.#deps.clock.monotonic()];
    if (provider === undefined || now - this.#hintedAt < this.#deps.pollMs) return;
    if (!TXID.test(txid) || this.#examined.has(txid)) return;
    this.#hintedAt = now;
    void this.#hinted(provider, txid);
  }

  /** Whose pool this is, or is about to be: a large one takes a while to be read. */
  get reading(): Provider | undefined {
    return this.#provider;
  }

  /** Whose pool this is, once it was read as a whole. */
  get provider(): Provider | undefined {
    return this.#complete ? this.#provider : undefined;
  }

  get entries(): ReadonlyMap<string, Pooled> {
    return this.#entries;
  }

  /** What is looked for has changed: everything that waits is looked at again. */
  examineAgain(): void {
    this.#examined.clear();
    this.poke();
  }

  onChange(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Resolves once `version` is another than `seen`, or when `signal` aborts. */
  changed(seen: number, signal: AbortSignal): Promise<void> {
    if (this.version !== seen || signal.aborted) return Promise.resolve();
    return new Promise((resolve) => {
      const end = (): void => {
        off();
        signal.removeEventListener('abort', end);
        resolve();
      };
      const off = this.onChange(end);
      signal.addEventListener('abort', end);
    });
  }

  #touch(): void {
    this.version += 1;
    for (const listener of [...this.#listeners]) listener();
  }

  async #list(provider: Provider): Promise<Listed> {
    if (provider !== this.#provider) {
      this.#provider = provider;
      this.#complete = false;
      this.#examined.clear();
      this.#removed.clear();
      this.#forgetSequence();
    }
    this.#removed.clear();
    const begun = this.#deps.clock.monotonic();
    const { txids, mempool_sequence: sequence } = await listing(provider);
    const tookMs = this.#deps.clock.monotonic() - begun;
    if (provider !== this.#provider) return { news: [], tookMs };
    const now = new Set(txids);
    let changed = false;
    for (const [txid, entry] of this.#entries) {
      // What came after the listing was made is not missing from it.
      if (!now.has(txid) && entry.sequence < sequence) changed = this.#entries.delete(txid) || changed;
    }
    const news = txids.filter((txid) => !this.#examined.has(txid) && (this.#removed.get(txid) ?? -1) < sequence);
    for (const txid of this.#examined) {
      if (!now.has(txid) && !this.#fetching.has(txid)) this.#examined.delete(txid);
    }
    if (changed) this.#touch();
    for (let from = 0; from < news.length; from += AT_ONCE)
      await this.#examineListed(provider, news.slice(from, from + AT_ONCE));
    if (!this.#complete) {
      this.#complete = true;
      this.#touch();
    }
    return { news, tookMs };
  }

  /** What could not be read is not taken for examined: the next listing brings it again. */
  async #examineListed(provider: Provider, txids: readonly string[]): Promise<void> {
    for (const txid of txids) this.#examined.add(txid);
    const ends = await Promise.allSettled(txids.map((txid) => this.#examine(provider, txid, 0, true)));
    for (const [n, txid] of txids.entries()) {
      const end = ends[n];
      if (end?.status !== 'rejected') continue;
      this.#examined.delete(txid);
      if (!(end.reason instanceof RpcError)) continue;
      this.#deps.log.warn({ txid, error: end.reason.message }, 'a transaction of the pool cannot be read');
    }
    const failure = ends.find((end) => end.status === 'rejected' && !(end.reason instanceof RpcError));
    if (failure?.status === 'rejected') throw failure.reason;
  }

  async #added(provider: Provider, txid: string, sequence: number): Promise<void> {
    if (provider !== this.#provider) return;
    this.#removed.delete(txid);
    this.#examined.add(txid);
    try {
      await this.#examine(provider, txid, sequence, false);
    } catch (error) {
      // The next listing brings it again.
      this.#examined.delete(txid);
      this.#failed(provider, txid, error);
    }
  }

  /** What is in a block already is no part of the pool, though the node's index has it. */
  async #hinted(provider: Provider, txid: string): Promise<void> {
    try {
      if ((await poolEntry(provider, txid)) !== undefined) await this.#added(provider, txid, 0);
    } catch (error) {
      this.#failed(provider, txid, error);
    }
  }

  #failed(provider: Provider, txid: string, error: unknown): void {
    if (isTransportError(error)) this.#deps.providers.failed(provider, error);
    else this.#deps.log.warn({ txid, error: String(error) }, 'a transaction of the pool cannot be read');
  }

  #takenOut(txid: string, sequence: number): void {
    this.#removed.set(txid, sequence);
    this.#examined.delete(txid);
    if (this.#fetching.has(txid)) this.#fetching.set(txid, false);
    if (this.#entries.delete(txid)) this.#touch();
  }

  /** Numbers of before mean nothing any more: the node may have started anew. */
  #forgetSequence(): void {
    this.#removed.clear();
    for (const [txid, { tx }] of this.#entries) this.#entries.set(txid, { tx, sequence: 0 });
  }

  async #examine(provider: Provider, txid: string, sequence: number, listed: boolean): Promise<void> {
    if (this.#entries.has(txid) || this.#fetching.has(txid)) return;
    this.#fetching.set(txid, true);
    try {
      const tx = await this.#read(provider, txid);
      // Gone; or where several nodes answer to one name, not known to all of them yet.
      if (tx === undefined) this.#examined.delete(txid);
      if (tx === undefined || tx === 'odd') return;
      // Removed, or another pool by now.
      if (this.#fetching.get(txid) !== true || provider !== this.#provider || !this.#concerns(tx)) return;
      this.#entries.set(txid, { tx, sequence });
      this.#touch();
    } finally {
      this.#fetching.delete(txid);
    }
    if (listed) await this.#examineChildren(provider, txid);
  }

  /** What is listed is read out of order: children of what pays us may have been dismissed before their parent was known. */
  async #examineChildren(provider: Provider, txid: string): Promise<void> {
    const entry = this.#entries.get(txid);
    if (entry === undefined || !entry.tx.outputs.some(({ script }) => this.#deps.interest.pays(scriptText(script))))
      return;
    const { spentby = [] } = (await poolEntry(provider, txid)) ?? {};
    await Promise.all(spentby.map((child) => this.#examine(provider, child, 0, true)));
  }

  async #read(provider: Provider, txid: string): Promise<RawTransaction | 'odd' | undefined> {
    try {
      return await transaction(provider, txid);
    } catch (error) {
      // It pays nobody that it could be read of; should it be in a block one day, that is read as a whole.
      if (!(error instanceof OddTransaction)) throw error;
      this.#deps.log.debug({ txid, error: error.message }, 'a transaction of the pool is of an unknown kind');
      return 'odd';
    }
  }

  #concerns(tx: RawTransaction): boolean {
    const { interest } = this.#deps;
    return (
      tx.outputs.some(({ script }) => interest.pays(scriptText(script))) ||
      tx.inputs.some(({ txid, vout }) => {
        const parent = this.#entries.get(txid)?.tx.outputs[vout];
        return parent === undefined
          ? interest.spends(outpointText(txid, vout))
          : interest.pays(scriptText(parent.script));
      })
    );
  }
}

async function listing(provider: Provider): Promise<Listing> {
  const told = await ask<Listing | readonly string[]>(provider, 'getrawmempool', [false, true]);
  // Nodes that do not know the second word leave it aside.
  if (!('txids' in told)) return { txids: told, mempool_sequence: Number.MAX_SAFE_INTEGER };
  return told;
}
