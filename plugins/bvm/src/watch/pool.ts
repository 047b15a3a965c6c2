import type { Clock, Logger } from '@causeway/core';
import { isTransportError, type Provider, type Providers, RpcError } from '@causeway/core/rpc';
import { type BlockInterest, outpointText, scriptText } from '../raw/block.js';
import type { RawTransaction } from '../raw/transaction.js';
import { ask, OddTransaction, poolEntry, transaction } from '../rpc/node.js';
import { type Listed, PoolSource } from './pool-source.js';

export interface PoolDeps {
  readonly providers: Providers;
  readonly interest: BlockInterest;
  /** Resolves once `interest` includes everything that was relevant at the call. Never rejects. */
  readonly ready: () => Promise<void>;
  /** Endpoint at which the provider's mempool is published; undefined: none. */
  readonly publishedAt: (provider: Provider) => Promise<string | undefined>;
  readonly pollMs: number;
  /** On a node's notification that the chain changed. */
  readonly onBlock: () => void;
  readonly clock: Clock;
  readonly log: Logger;
}

export interface Pooled {
  readonly tx: RawTransaction;
  /** Mempool sequence number of its arrival; 0 if unknown. */
  readonly sequence: number;
}

interface Listing {
  readonly txids: readonly string[];
  readonly mempool_sequence: number;
}

const TXID = /^[0-9a-f]{64}$/;
/** Transactions per fetch. */
const TRANSACTIONS_PER_READ = 100;

/**
 * Own transactions in the mempool of the provider in use. Listings are authoritative; announcements are used in
 * between. Nothing here is proof: reporters query the node again.
 */
export class Pool {
  readonly #deps: PoolDeps;
  readonly #source: PoolSource;
  readonly #entries = new Map<string, Pooled>();
  readonly #listeners = new Set<() => void>();
  /** From the last listing and later announcements: examined or queued. */
  #examined = new Set<string>();
  /** Removals since the last listing was requested, with their sequence number. */
  readonly #removed = new Map<string, number>();
  /** Ids being fetched; false once removed meanwhile. */
  readonly #fetching = new Map<string, boolean>();
  #provider: Provider | undefined;
  #complete = false;
  #hintedAt = Number.NEGATIVE_INFINITY;
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

  poke(): void {
    this.#source.poke();
  }

  /**
   * A client names a transaction. Only one per poll interval is looked up, however many are named; the next listing
   * finds the rest.
   */
  hint(txid: string): void {
    const [provider, now] = [this.provider, this.#deps.clock.monotonic()];
    if (provider === undefined || now - this.#hintedAt < this.#deps.pollMs) return;
    if (!TXID.test(txid) || this.#examined.has(txid)) return;
    this.#hintedAt = now;
    void this.#hinted(provider, txid);
  }

  /** Set before the first listing is complete. */
  get reading(): Provider | undefined {
    return this.#provider;
  }

  /** Set after the first complete listing. */
  get provider(): Provider | undefined {
    return this.#complete ? this.#provider : undefined;
  }

  get entries(): ReadonlyMap<string, Pooled> {
    return this.#entries;
  }

  examineAgain(): void {
    this.#examined.clear();
    this.poke();
  }

  onChange(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

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
      // The transaction arrived after the listing was made.
      if (!now.has(txid) && entry.sequence < sequence) changed = this.#entries.delete(txid) || changed;
    }
    const news = txids.filter((txid) => !this.#examined.has(txid) && (this.#removed.get(txid) ?? -1) < sequence);
    for (const txid of this.#examined) {
      if (!now.has(txid) && !this.#fetching.has(txid)) this.#examined.delete(txid);
    }
    if (changed) this.#touch();
    if (news.length > 0) await this.#deps.ready();
    for (let from = 0; from < news.length; from += TRANSACTIONS_PER_READ)
      await this.#examineListed(provider, news.slice(from, from + TRANSACTIONS_PER_READ));
    if (!this.#complete) {
      this.#complete = true;
      this.#touch();
    }
    return { news, tookMs };
  }

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
      await this.#deps.ready();
      await this.#examine(provider, txid, sequence, false);
    } catch (error) {
      this.#examined.delete(txid);
      this.#failed(provider, txid, error);
    }
  }

  /** The node's index also returns confirmed transactions. */
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

  /** The node may have restarted, which resets the numbers. */
  #forgetSequence(): void {
    this.#removed.clear();
    for (const [txid, { tx }] of this.#entries) this.#entries.set(txid, { tx, sequence: 0 });
  }

  async #examine(provider: Provider, txid: string, sequence: number, listed: boolean): Promise<void> {
    if (this.#entries.has(txid) || this.#fetching.has(txid)) return;
    this.#fetching.set(txid, true);
    try {
      const tx = await this.#read(provider, txid);
      // Removed, or not yet known to all nodes behind one URL.
      if (tx === undefined) this.#examined.delete(txid);
      if (tx === undefined || tx === 'odd') return;
      // The entry was removed, or the view is now of another provider's mempool.
      if (this.#fetching.get(txid) !== true || provider !== this.#provider || !this.#concerns(tx)) return;
      this.#entries.set(txid, { tx, sequence });
      this.#touch();
    } finally {
      this.#fetching.delete(txid);
    }
    if (listed) await this.#examineChildren(provider, txid);
  }

  /** Listings are unordered: children may have been dismissed before their parent was known. */
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
      // No readable payment to own scripts; a block that includes it is read as a whole.
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
  const reported = await ask<Listing | readonly string[]>(provider, 'getrawmempool', [false, true]);
  // Older nodes ignore the second parameter.
  if (!('txids' in reported)) return { txids: reported, mempool_sequence: Number.MAX_SAFE_INTEGER };
  return reported;
}
