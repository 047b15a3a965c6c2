import type { Alerts, Clock, Logger } from '@causeway/core';
import { isTransportError, type Provider, type Providers, RpcError } from '@causeway/core/rpc';
import { type Outpoint, outpointName } from '../funding-key.js';
import type { Network } from '../network.js';
import { type BlockInterest, outpointText } from '../raw/block.js';
import type { RawTransaction } from '../raw/transaction.js';
import { blockHash, type Node, PrunedError, ViewMoved } from '../rpc/node.js';
import type { Blocks } from '../watch/blocks.js';
import type { Mark } from '../watch/cursor.js';
import type { Head, Heads } from '../watch/heads.js';
import type { Pool } from '../watch/pool.js';
import type { OwnScripts } from '../watch/scripts.js';
import type { Coin, Coins, Spender } from './coin.js';
import { ConfirmedCoins, coinsOf } from './confirmed.js';
import { type Scan, scanUnspent } from './scan.js';

export interface OwnCoinsDeps {
  readonly chainId: number;
  readonly network: Network;
  readonly scripts: OwnScripts;
  readonly providers: Providers;
  readonly feed: Heads;
  readonly pool: Pool;
  readonly blocks: Blocks;
  readonly patient: (provider: Provider) => Node;
  /** Reorg depth without a full rescan. */
  readonly most: number;
  /** Milliseconds between verification scans; 0: none. */
  readonly checkMs: number;
  readonly clock: Clock;
  readonly log: Logger;
  readonly alerts: Alerts;
}

const RETRY_MS = 500;
const SCAN_AGAIN_MS = 5_000;

/**
 * Own outputs: one UTXO set scan, then followed block by block, with the mempool on top.
 *
 * Invariant: exact at `at`. The scan names its block; each later block extends the previous one and is verified by
 * its own header. Reorgs are undone block by block, deeper ones cause a rescan. Periodic scans verify the result.
 */
export class OwnCoins implements Coins {
  readonly #deps: OwnCoinsDeps;
  readonly #stop = new AbortController();
  readonly #listeners = new Set<() => void>();
  #wake = new AbortController();
  #confirmed: ConfirmedCoins | undefined;
  #problem: string | null = 'its own outputs are not read yet';
  #overlay: Overlay | undefined;
  #checkAt = Number.POSITIVE_INFINITY;
  #done: Promise<void> = Promise.resolve();

  constructor(deps: OwnCoinsDeps) {
    this.#deps = deps;
    deps.pool.onChange(() => this.#changed());
  }

  start(): void {
    this.#done = this.#run();
  }

  async stop(): Promise<void> {
    this.#stop.abort();
    this.#wake.abort();
    await this.#done;
  }

  get at(): Mark | undefined {
    return this.#confirmed?.tip;
  }

  problem(): string | null {
    return this.#problem;
  }

  /** Confirmed, as `BlockInterest.spends` asks. */
  isOurs(outpoint: string): boolean {
    return this.#confirmed?.has(outpoint) ?? false;
  }

  of(address: string): readonly Coin[] {
    if (this.#confirmed === undefined) return [];
    const { spentBy, created } = this.#pooled();
    const coins: Coin[] = [];
    for (const coin of this.#confirmed.all()) {
      if (coin.own.address === address)
        coins.push({ ...coin, spentInPool: spentBy.get(outpointName(coin))?.txid ?? null });
    }
    coins.sort((a, b) => (a.height ?? 0) - (b.height ?? 0) || (outpointName(a) < outpointName(b) ? -1 : 1));
    return [...coins, ...created.filter(({ own }) => own.address === address)];
  }

  get(outpoint: Outpoint): Coin | undefined {
    const { spentBy, created } = this.#pooled();
    const name = outpointName(outpoint);
    const coin = this.#confirmed?.get(outpoint);
    if (coin !== undefined) return { ...coin, spentInPool: spentBy.get(name)?.txid ?? null };
    return created.find((one) => outpointName(one) === name);
  }

  spender(outpoint: Outpoint): Spender | undefined {
    return this.#confirmed?.spender(outpoint) ?? this.#pooled().spentBy.get(outpointName(outpoint));
  }

  get spendersAbove(): number | undefined {
    return this.#confirmed?.base.height;
  }

  /** Confirmed satoshis as of `at`. */
  balance(address: string): bigint {
    let sum = 0n;
    for (const { own, value } of this.#confirmed?.all() ?? []) if (own.address === address) sum += value;
    return sum;
  }

  upTo(height: number, signal: AbortSignal): Promise<void> {
    if ((this.at?.height ?? -1) >= height || signal.aborted) return Promise.resolve();
    return new Promise((resolve) => {
      const look = (): void => {
        if ((this.at?.height ?? -1) < height && !signal.aborted) return;
        off();
        signal.removeEventListener('abort', look);
        resolve();
      };
      const off = this.onChange(look);
      signal.addEventListener('abort', look);
    });
  }

  onChange(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  #changed(): void {
    this.#overlay = undefined;
    for (const listener of [...this.#listeners]) listener();
  }

  #pooled(): Overlay {
    this.#overlay ??= overlay(this.#deps.pool, this.#deps.scripts, this.#confirmed);
    return this.#overlay;
  }

  async #run(): Promise<void> {
    const { feed, clock, providers, log } = this.#deps;
    const { signal } = this.#stop;
    let seen: Head | undefined;
    while (!signal.aborted) {
      const head = feed.current;
      if (head === undefined || (head === seen && this.#confirmed !== undefined)) {
        this.#wake = new AbortController();
        await feed.changed(seen, this.#wake.signal);
        continue;
      }
      try {
        if (this.#confirmed === undefined) await this.#read(head.provider);
        else await this.#follow(this.#confirmed, head);
        if (this.#confirmed?.tip.id === head.id || (this.#confirmed?.tip.height ?? 0) > head.height) seen = head;
        if (this.#confirmed !== undefined) providers.read('our outputs', head.provider);
        if (clock.monotonic() > this.#checkAt) await this.check();
      } catch (error) {
        const isKnown = error instanceof RpcError || error instanceof ViewMoved || error instanceof PrunedError;
        if (!isTransportError(error) && !isKnown) throw error;
        providers.unread('our outputs', head.provider, error);
        log.debug({ error: String(error) }, 'own outputs cannot be followed yet');
        await clock.sleep(RETRY_MS, signal);
      }
    }
  }

  /** Full rescan. */
  async #read(provider: Provider): Promise<void> {
    const scan = await this.#scan(provider);
    if (scan === undefined) return;
    this.#confirmed = new ConfirmedCoins(scan, this.#deps.most);
    this.#problem = null;
    this.#checkAt = this.#nextCheck();
    this.#deps.pool.examineAgain();
    this.#changed();
  }

  async #scan(first: Provider): Promise<Scan | undefined> {
    const { providers, patient, scripts, network, chainId, alerts, log, clock } = this.#deps;
    const alert = `coins-${chainId}`;
    const reasons: string[] = [];
    for (const provider of [first, ...providers.usable().filter((one) => one !== first)]) {
      try {
        const scan = await scanUnspent(patient(provider), scripts, network, { clock, signal: this.#stop.signal });
        alerts.clear(alert);
        return scan;
      } catch (error) {
        if (!isTransportError(error) && !(error instanceof RpcError)) throw error;
        // Not a provider failure: the scan may time out or conflict with another.
        reasons.push(`${provider.name}: ${error.message}`);
      }
    }
    this.#problem = `its own outputs cannot be read (${reasons.join('; ')})`;
    alerts.raise(alert, `Chain ${chainId}: ${this.#problem}; a provider must offer scantxoutset`);
    log.warn({ reasons }, 'own outputs cannot be read');
    await clock.sleep(SCAN_AGAIN_MS, this.#stop.signal);
    return undefined;
  }

  async #follow(confirmed: ConfirmedCoins, head: Head): Promise<void> {
    const { provider } = head;
    const ancestor = await this.#ancestor(confirmed, head);
    if (ancestor === 'behind') return;
    if (ancestor === undefined) {
      this.#deps.log.warn({ height: head.height }, 'a reorg is too deep to follow, re-reading own outputs');
      this.#lose();
      return;
    }
    confirmed.rewind(ancestor);
    while (confirmed.tip.height < head.height && !this.#stop.signal.aborted) {
      const height = confirmed.tip.height + 1;
      const id = height === head.height ? head.id : await blockHash(provider, height);
      if (id === undefined) throw new ViewMoved(`block ${height} is not there any more`);
      const { parentId, found } = await this.#concerning(provider, id, confirmed);
      if (parentId !== confirmed.tip.id) throw new ViewMoved(`block ${height} does not follow the one before`);
      confirmed.apply({ height, id }, found, this.#deps.scripts);
      this.#changed();
    }
  }

  /** Newest common block. Undefined: too deep. `behind`: the head was processed before. */
  async #ancestor(confirmed: ConfirmedCoins, head: Head): Promise<Mark | 'behind' | undefined> {
    if (head.parentId === confirmed.tip.id || head.id === confirmed.tip.id) return confirmed.tip;
    for (const mark of confirmed.reachable()) {
      if (mark.height > head.height) continue;
      const id = mark.height === head.height ? head.id : await blockHash(head.provider, mark.height);
      if (id === mark.id) return head.height < confirmed.tip.height && mark.id === head.id ? 'behind' : mark;
    }
    return head.height < (confirmed.reachable().at(-1)?.height ?? 0) ? 'behind' : undefined;
  }

  /** Includes spends of outputs created in the same block. */
  async #concerning(node: Node, id: string, confirmed: ConfirmedCoins) {
    const { blocks, scripts } = this.#deps;
    const made = new Set<string>();
    const interest: BlockInterest = {
      pays: (script) => scripts.has(script),
      spends: (outpoint) => confirmed.has(outpoint) || made.has(outpoint),
    };
    for (;;) {
      const block = await blocks.scan(node, id, interest);
      const before = made.size;
      for (const outpoint of outpointsOf(block.found, scripts)) made.add(outpoint);
      if (made.size === before) return block;
    }
  }

  /** Verification scan; a difference raises an alert and causes a rescan. */
  async check(): Promise<'same' | 'different' | 'unknown'> {
    this.#checkAt = this.#nextCheck();
    const provider = this.#deps.feed.current?.provider;
    const scan = provider === undefined ? undefined : await this.#scan(provider);
    const followed = scan === undefined ? undefined : this.#confirmed?.at(scan.at.id);
    if (scan === undefined || followed === undefined) return 'unknown';
    const reported = new Map(scan.coins.map((coin) => [outpointName(coin), coin.value]));
    const same =
      reported.size === followed.size && [...followed].every(([name, { value }]) => reported.get(name) === value);
    if (same) return 'same';
    const { alerts, chainId } = this.#deps;
    const lists = { missing: [...reported.keys()].filter((name) => !followed.has(name)).slice(0, 5) };
    alerts.raise(`coins-differ-${chainId}`, `Own outputs of chain ${chainId} were not followed exactly: a bug`, lists);
    this.#lose();
    return 'different';
  }

  #lose(): void {
    this.#confirmed = undefined;
    this.#problem = 'its own outputs are being re-read';
    this.#changed();
    this.#wake.abort();
  }

  #nextCheck(): number {
    const { checkMs, clock } = this.#deps;
    return checkMs === 0 ? Number.POSITIVE_INFINITY : clock.monotonic() + checkMs;
  }
}

interface Overlay {
  readonly spentBy: ReadonlyMap<string, Spender>;
  readonly created: readonly Coin[];
}

function overlay(pool: Pool, scripts: OwnScripts, confirmed: ConfirmedCoins | undefined): Overlay {
  const spentBy = new Map<string, Spender>();
  const made: Omit<Coin, 'spentInPool'>[] = [];
  for (const { tx } of pool.entries.values()) {
    for (const input of tx.inputs) spentBy.set(outpointName(input), { txid: tx.txid, block: null });
    // Possibly confirmed already, unknown to the mempool reader.
    for (const coin of coinsOf(tx, scripts)) {
      if (confirmed?.get(coin) === undefined && confirmed?.spender(coin) === undefined)
        made.push({ ...coin, height: null, coinbase: false });
    }
  }
  const created = made.map((coin) => ({ ...coin, spentInPool: spentBy.get(outpointName(coin))?.txid ?? null }));
  return { spentBy, created };
}

function outpointsOf(found: readonly RawTransaction[], scripts: OwnScripts): readonly string[] {
  return found.flatMap((tx) => coinsOf(tx, scripts).map(({ txid, vout }) => outpointText(txid, vout)));
}
