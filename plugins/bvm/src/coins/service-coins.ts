import { isTransportError, type Provider, RpcError } from '@causeway/core/rpc';
import { fundingKeyOf, type Outpoint, outpointName } from '../funding-key.js';
import { type BlockInterest, outpointText } from '../raw/block.js';
import type { RawTransaction } from '../raw/transaction.js';
import { blockHash, type Node, PrunedError, ViewMoved } from '../rpc/node.js';
import type { Blocks } from '../watch/blocks.js';
import type { Mark } from '../watch/cursor.js';
import { type AddedScript, BookUnread, type DepositAddressScripts } from '../watch/deposit-addresses.js';
import type { Head, Heads } from '../watch/heads.js';
import type { Pool } from '../watch/pool.js';
import type { ServiceScript, ServiceScripts } from '../watch/scripts.js';
import { AddressSearch, type FoundScan, MAX_SEARCHED_ADDRESSES } from './address-search.js';
import { Arrivals } from './arrivals.js';
import type { Coin, Coins, Spender } from './coin.js';
import { ConfirmedCoins, coinsOf } from './confirmed.js';
import { type Overlay, overlay } from './overlay.js';
import type { ConfirmedCoin, Scan } from './scan.js';
import { Scanner, type ScannerDeps } from './scanner.js';

export interface ServiceCoinsDeps extends ScannerDeps {
  readonly addresses: Pick<DepositAddressScripts, 'sync' | 'recorded'>;
  readonly feed: Heads;
  readonly pool: Pool;
  readonly blocks: Blocks;
  /** Reorg depth that needs no full rescan. */
  readonly most: number;
  /** Milliseconds between verification scans; 0: none. */
  readonly checkMs: number;
}

const RETRY_MS = 500;
const SCANNED = { what: 'its own outputs', alert: 'coins' } as const;
const EARLIER = { what: 'what deposit addresses had before', alert: 'addresses' } as const;

/**
 * Own outputs: one UTXO set scan, then followed block by block, with the mempool on top. Outputs at deposit addresses
 * from before these were known are searched separately (`AddressSearch`) and merged at the block of the search.
 *
 * Invariant: exact at `at`. The scan names its block; each later block extends the previous one and is verified by its
 * own header. Reorgs are undone block by block, deeper ones cause a rescan. Periodic scans verify the result.
 */
export class ServiceCoins implements Coins {
  readonly #deps: ServiceCoinsDeps;
  readonly #stop = new AbortController();
  readonly #listeners = new Set<() => void>();
  readonly arrivals = new Arrivals();
  readonly #scanner: Scanner;
  readonly #search: AddressSearch;
  #wake = new AbortController();
  #confirmed: ConfirmedCoins | undefined;
  #problem: string | null = 'its own outputs are not read yet';
  #overlay: Overlay | undefined;
  #checkAt = Number.POSITIVE_INFINITY;
  #done: Promise<void> = Promise.resolve();

  constructor(deps: ServiceCoinsDeps) {
    this.#deps = deps;
    deps.pool.onChange(() => this.#changed());
    this.#scanner = new Scanner(deps);
    this.#search = new AddressSearch({
      scan: (scripts) => this.#searched(scripts),
      onFound: () => this.#wake.abort(),
      clock: deps.clock,
    });
  }

  start(): void {
    this.#done = this.#run();
    this.#search.start();
  }

  async stop(): Promise<void> {
    this.#stop.abort();
    this.#wake.abort();
    await Promise.all([this.#done, this.#search.stop()]);
  }

  /** Scripts of deposit addresses that were not own before. */
  added(scripts: readonly AddedScript[]): void {
    this.#search.add(scripts, this.#deps.feed.current?.height ?? Number.POSITIVE_INFINITY);
  }

  get at(): Mark | undefined {
    return this.#confirmed?.tip;
  }

  problem(): string | null {
    return this.#problem;
  }

  /** Whether a confirmed own output has this outpoint, as in `BlockInterest.spends`. */
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

  /** Recorded outputs at deposit addresses are among the confirmed. */
  get isComplete(): boolean {
    return this.#search.isComplete;
  }

  /** Whether the script is own and all its earlier outputs are among the confirmed. */
  hasAll(script: string): boolean {
    return this.isComplete && this.#deps.scripts.has(script) && !this.#search.isOpen(script);
  }

  /** Confirmed satoshis as of `at`. */
  balance(address: string): bigint {
    return this.#sum(({ own }) => own.address === address);
  }

  /** Confirmed satoshis at the depository and of reported outputs at deposit addresses, as of `at`. */
  deposited(): bigint {
    return this.#sum(
      (coin) => coin.own.role !== 'lane' && /* guard: bvm-unreported-arrivals */ !this.arrivals.has(outpointName(coin)),
    );
  }

  /** Confirmed satoshis by address, as of `at`. */
  sums(): ReadonlyMap<string, bigint> {
    const sums = new Map<string, bigint>();
    for (const { own, value } of this.#confirmed?.all() ?? [])
      sums.set(own.address, (sums.get(own.address) ?? 0n) + value);
    return sums;
  }

  #sum(counts: (coin: ConfirmedCoin) => boolean): bigint {
    let sum = 0n;
    for (const coin of this.#confirmed?.all() ?? []) if (counts(coin)) sum += coin.value;
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
      const merges = this.#isMergeable();
      if (head === undefined || (head === seen && this.#confirmed !== undefined && !merges)) {
        this.#wake = new AbortController();
        await feed.changed(seen, this.#wake.signal);
        continue;
      }
      try {
        if (this.#confirmed === undefined) await this.#read(head.provider);
        else {
          await this.#deps.addresses.sync();
          if (merges) {
            seen = undefined;
            await this.#merge(this.#confirmed);
          }
          await this.#follow(this.#confirmed, head);
          if (merges) this.#changed();
        }
        if (this.#confirmed?.tip.id === head.id || (this.#confirmed?.tip.height ?? 0) > head.height) seen = head;
        if (this.#confirmed !== undefined) providers.read('our outputs', head.provider);
        if (clock.monotonic() > this.#checkAt) await this.check();
      } catch (error) {
        const isKnown = error instanceof RpcError || error instanceof ViewMoved || error instanceof PrunedError;
        if (!isTransportError(error) && !isKnown && !(error instanceof BookUnread)) throw error;
        if (!(error instanceof BookUnread)) providers.unread('our outputs', head.provider, error);
        log.debug({ error: String(error) }, 'own outputs cannot be followed yet');
        await clock.sleep(RETRY_MS, signal);
      }
    }
  }

  /** Full rescan; deposit addresses are searched afterwards. */
  async #read(provider: Provider): Promise<void> {
    const texts = [...this.#deps.scripts.texts()].filter((text) => !this.#isAddress(text));
    const result = await this.#scanner.scan(SCANNED, provider, texts, this.#stop.signal);
    if (!('scan' in result)) {
      this.#problem = result.failed;
      return this.#scanner.pause(this.#stop.signal);
    }
    this.#confirmed = new ConfirmedCoins(result.scan, this.#deps.most);
    this.#problem = null;
    this.#checkAt = this.#nextCheck();
    this.#deps.pool.examineAgain();
    this.#changed();
  }

  async #searched(texts: readonly string[]): Promise<Scan | undefined> {
    const { feed, clock } = this.#deps;
    const provider = feed.current?.provider;
    if (provider === undefined) {
      await clock.sleep(RETRY_MS, this.#stop.signal);
      return undefined;
    }
    const result = await this.#scanner.scan(EARLIER, provider, texts, this.#stop.signal);
    if ('scan' in result) return result.scan;
    await this.#scanner.pause(this.#stop.signal);
    return undefined;
  }

  #isAddress(text: string): boolean {
    return this.#deps.scripts.at(text)?.role === 'depositAddress';
  }

  /** Whether blocks were followed up to the block of the search. */
  #isMergeable(): boolean {
    const found = this.#search.found;
    return found !== undefined && this.#confirmed !== undefined && found.scan.at.height <= this.#confirmed.tip.height;
  }

  /** Rewinds to the block of the search: later blocks were read without its outputs. */
  async #merge(confirmed: ConfirmedCoins): Promise<void> {
    const found = this.#search.found;
    if (found === undefined) return;
    const { at, coins } = found.scan;
    if (!confirmed.reachable().some(({ id }) => id === at.id)) return this.#search.drop();
    const news = await this.#unrecorded(found);
    confirmed.rewind(at);
    confirmed.insert(coins);
    this.arrivals.add(news);
    this.#search.merged();
  }

  /** Outputs in blocks that the watcher may have read before it knew their address. */
  async #unrecorded({ scan, searched }: FoundScan): Promise<readonly ConfirmedCoin[]> {
    const { addresses, chainId } = this.#deps;
    const early = scan.coins.filter(
      ({ own, height }) => height <= (searched.get(own.address)?.knownAbove ?? Number.POSITIVE_INFINITY),
    );
    const recorded = await addresses.recorded([...new Set(early.map(({ own }) => own.address))]);
    return early.filter((coin) => {
      const known = recorded.get(fundingKeyOf(chainId, coin));
      return known === undefined || known.state === 'mempool';
    });
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

  /** Verification scans; a difference raises an alert and causes a rescan. */
  async check(): Promise<'same' | 'different' | 'unknown'> {
    this.#checkAt = this.#nextCheck();
    const texts = [...this.#deps.scripts.texts()].filter((text) => !this.#search.isOpen(text));
    for (let from = 0; from < texts.length; from += MAX_SEARCHED_ADDRESSES) {
      const answer = await this.#checked(texts.slice(from, from + MAX_SEARCHED_ADDRESSES));
      if (answer !== 'same') return answer;
    }
    return 'same';
  }

  async #checked(texts: readonly string[]): Promise<'same' | 'different' | 'unknown'> {
    const { feed, scripts, alerts, chainId } = this.#deps;
    const provider = feed.current?.provider;
    const result = provider && (await this.#scanner.scan(SCANNED, provider, texts, this.#stop.signal));
    const scan = result && 'scan' in result ? result.scan : undefined;
    const all = scan && this.#confirmed?.at(scan.at.id);
    if (scan === undefined || all === undefined) return 'unknown';
    const wanted = new Set<ServiceScript | undefined>(texts.map((text) => scripts.at(text)));
    const followed = new Map([...all].filter(([, { own }]) => wanted.has(own)));
    const reported = new Map(scan.coins.map((coin) => [outpointName(coin), coin.value]));
    const same =
      reported.size === followed.size && [...followed].every(([name, { value }]) => reported.get(name) === value);
    if (same) return 'same';
    const lists = { missing: [...reported.keys()].filter((name) => !followed.has(name)).slice(0, 5) };
    alerts.raise(`coins-differ-${chainId}`, `Own outputs of chain ${chainId} were not followed exactly: a bug`, lists);
    this.#lose();
    return 'different';
  }

  #lose(): void {
    this.#confirmed = undefined;
    this.#problem = 'its own outputs are being re-read';
    const { scripts } = this.#deps;
    const lost = [...scripts.texts()].flatMap((script) => {
      const own = scripts.at(script);
      return own?.role === 'depositAddress' ? [{ script, address: own.address, isRecorded: true }] : [];
    });
    this.#search.add(lost, Number.POSITIVE_INFINITY);
    this.#changed();
    this.#wake.abort();
  }

  #nextCheck(): number {
    const { checkMs, clock } = this.#deps;
    return checkMs === 0 ? Number.POSITIVE_INFINITY : clock.monotonic() + checkMs;
  }
}

function outpointsOf(found: readonly RawTransaction[], scripts: ServiceScripts): readonly string[] {
  return found.flatMap((tx) => coinsOf(tx, scripts).map(({ txid, vout }) => outpointText(txid, vout)));
}
