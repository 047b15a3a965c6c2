import type {
  AddressBook,
  Aged,
  Alerts,
  Clock,
  DepositBatch,
  IsPromised,
  Logger,
  Metrics,
  Sighting,
} from '@causeway/core';
import { HeadFeed, HttpClient, type Provider, Providers, TransportError, witness } from '@causeway/core/rpc';
import { addressScript } from './addresses.js';
import type { ChainConfig } from './chain-config.js';
import { ServiceCoins } from './coins/service-coins.js';
import { identify } from './identity.js';
import { scriptText } from './raw/block.js';
import type { Node } from './rpc/node.js';
import { publishedAddress } from './rpc/published.js';
import { Blocks } from './watch/blocks.js';
import { type AddedScript, BookUnread, DepositAddressScripts } from './watch/deposit-addresses.js';
import { followDeposits } from './watch/deposit-watcher.js';
import { type Heads, headSource } from './watch/heads.js';
import { Pool } from './watch/pool.js';
import type { DepositReading } from './watch/read-deposits.js';
import { ServiceScripts } from './watch/scripts.js';
import { Standstill } from './watch/standstill.js';
import { testify } from './witness.js';

export interface ChainServices {
  readonly clock: Clock;
  readonly log: Logger;
  readonly alerts: Alerts;
  readonly metrics: Metrics;
}

export interface OwnAddresses {
  readonly depository: string;
  readonly lane: string;
}

/** Blocks per batch: some seconds of reading on the largest chains. */
const MAX_BLOCKS = 25;
/** Reorg depth beyond finality through which own outputs are followed. */
const SPARE_BLOCKS = 50;
/** UTXO set scan; bounded by the HTTP client's timeout as well. */
const SCAN_MS = 15 * 60_000;
const BALANCE_MS = 60_000;

/** Heads, mempool, deposits and own outputs of one chain. Silent before `start`. */
export class ChainView {
  readonly providers: Providers;
  readonly feed: Heads;
  readonly pool: Pool;
  readonly coins: ServiceCoins;
  readonly scripts: ServiceScripts;
  readonly addresses: DepositAddressScripts;
  readonly #own: OwnAddresses;
  readonly #config: ChainConfig;
  readonly #services: ChainServices;
  readonly #blocks = new Blocks();
  readonly #reading: DepositReading;
  readonly #standstill: Standstill;
  readonly #patient = new Map<number, Node>();

  constructor(config: ChainConfig, own: OwnAddresses, services: ChainServices) {
    const { depository, lane } = own;
    const { facts, network, endpoints, anchor, rpc, path, watch, depth } = config;
    this.#config = config;
    this.#own = own;
    this.#services = services;
    const identity = (client: HttpClient) => identify(client, network, anchor);
    const http = endpoints.map((one) => ({ http: one.http }));
    const { id: chainId, blockTimeMs } = facts;
    const pool = { chainId, path, endpoints: http, blockTimeMs, identify: identity };
    this.providers = new Providers({ ...pool, ...rpc }, services);
    this.feed = new HeadFeed(headSource(depth), this.providers, watch, services);
    this.scripts = new ServiceScripts(network, [
      { role: 'depository', address: depository },
      { role: 'lane', address: lane },
    ]);
    this.#reading = { chainId: facts.id, network, scripts: this.scripts };
    const { clock, log, alerts } = services;
    const needsPeers = network.environment !== 'local';
    this.#standstill = new Standstill({ providers: this.providers, needsPeers, silenceMs: watch.silenceMs, clock });
    this.addresses = new DepositAddressScripts({
      ...{ scripts: this.scripts, clock, log },
      onAdded: (added) => this.#added(added),
    });
    this.pool = new Pool({
      providers: this.providers,
      interest: {
        pays: (script) => this.scripts.has(script),
        spends: (outpoint) => this.coins.isOurs(outpoint),
      },
      ready: () => this.#synced(),
      publishedAt: (provider) => this.#publishedAt(provider),
      pollMs: watch.poolPollMs,
      onBlock: () => this.feed.poke(),
      ...{ clock, log },
    });
    this.coins = new ServiceCoins({
      ...{ chainId: facts.id, scripts: this.scripts, addresses: this.addresses, providers: this.providers },
      ...{ feed: this.feed, pool: this.pool, blocks: this.#blocks, clock, log, alerts },
      patient: (provider) => this.#patiently(provider),
      most: depth + SPARE_BLOCKS,
      checkMs: watch.checkMs,
    });
  }

  /** @throws when a provider serves another chain. Dead providers only degrade `problem`. */
  async start(): Promise<void> {
    await this.providers.start();
    this.feed.start();
    this.pool.start();
    this.coins.start();
    this.#standstill.start();
  }

  async stop(): Promise<void> {
    this.providers.stop();
    this.#standstill.stop();
    await Promise.all([this.feed.stop(), this.pool.stop(), this.coins.stop()]);
  }

  watchDeposits(
    cursor: string | undefined,
    signal: AbortSignal,
    isPromised?: IsPromised,
    book?: AddressBook,
  ): AsyncGenerator<DepositBatch> {
    const { providers, feed, pool, coins, addresses } = this;
    if (book !== undefined) this.#attach(book);
    const { clock, log, alerts } = this.#services;
    const deps = {
      ...this.#reading,
      ...{ providers, feed, pool, blocks: this.#blocks, clock, log, alerts },
      ...{ addresses, coins, arrivals: coins.arrivals },
      others: () => providers.usable(),
      ...{ mostBlocks: MAX_BLOCKS, isPromised },
      ...{ forgetMs: this.#config.watch.forgetMs, poolFloor: this.#config.watch.poolFloor },
    };
    return followDeposits(deps, cursor, signal);
  }

  /** Polls for a new block and looks up this mempool transaction without a listing. */
  hint(txid: string): void {
    this.feed.hint();
    this.pool.hint(txid);
  }

  async witness(sightings: readonly Sighting[]): Promise<readonly boolean[]> {
    await this.#synced();
    return witness(this.providers, sightings, (provider, sighting) => testify(this.#reading, provider, sighting));
  }

  head(): Aged<number> | null {
    const { current } = this.feed;
    return current === undefined ? null : { value: current.height, at: current.at };
  }

  /** Null while the data can be relied on. See `Standstill` for a node without new blocks. */
  problem(): string | null {
    return this.providers.trouble() ?? (this.head() === null ? 'no block seen yet' : null) ?? this.coins.problem();
  }

  /**
   * Satoshis of an own address at the head; those of the depository include recorded outputs at deposit addresses.
   *
   * @throws TransportError if it stays unknown.
   */
  balance(address: string): Promise<bigint> {
    if (address !== this.#own.depository) return this.#atHead(() => this.coins.balance(address));
    return this.#atHead(() => (this.coins.isComplete ? this.coins.deposited() : undefined));
  }

  /**
   * Satoshis of each address at the head; undefined for one that this process does not follow.
   *
   * @throws TransportError if they stay unknown.
   */
  async held(addresses: readonly string[]): Promise<readonly (bigint | undefined)[]> {
    await this.#synced();
    const { network } = this.#config;
    const isFollowed = addresses.map((address) => this.coins.hasAll(scriptText(addressScript(address, network))));
    return this.#atHead(() => {
      const sums = this.coins.sums();
      return addresses.map((address, n) => (isFollowed[n] ? (sums.get(address) ?? 0n) : undefined));
    });
  }

  /** @param read undefined: not yet. */
  async #atHead<T>(read: () => T | undefined): Promise<T> {
    const over = new AbortController();
    const timer = this.#services.clock.sleep(BALANCE_MS, over.signal).then(() => over.abort());
    try {
      while (!over.signal.aborted) {
        const head = this.feed.current;
        const value = head !== undefined && this.coins.at?.id === head.id ? read() : undefined;
        if (value !== undefined) return value;
        await Promise.race([this.#coinsChange(over.signal), this.feed.changed(head, over.signal)]);
      }
    } finally {
      over.abort();
      await timer;
    }
    throw new TransportError(this.problem() ?? 'own outputs are not those of the head yet', 'timeout');
  }

  #coinsChange(signal: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      const end = (): void => {
        off();
        signal.removeEventListener('abort', end);
        resolve();
      };
      const off = this.coins.onChange(end);
      signal.addEventListener('abort', end);
    });
  }

  #attach(book: AddressBook): void {
    // Later additions are in no transaction that was examined before.
    if (!this.addresses.isAttached) this.pool.examineAgain();
    this.addresses.attach(book);
  }

  #added(added: readonly AddedScript[]): void {
    this.coins.added(added);
  }

  /** Reads new deposit addresses from the ledger; if that fails, continues with the known ones. */
  async #synced(): Promise<void> {
    try {
      await this.addresses.sync();
    } catch (error) {
      if (!(error instanceof BookUnread)) throw error;
      this.#services.log.debug({ err: error }, 'deposit addresses are not known as of now');
    }
  }

  async #publishedAt(provider: Provider): Promise<string | undefined> {
    const endpoint = this.#config.endpoints[provider.index];
    if (endpoint === undefined || endpoint.zmq === 'off') return undefined;
    return endpoint.zmq ?? (await publishedAddress(provider, endpoint.http));
  }

  #patiently({ index, name }: Provider): Node {
    const known = this.#patient.get(index);
    if (known !== undefined) return known;
    const url = this.#config.endpoints[index]?.http ?? '';
    const rpc = new HttpClient({ url, label: name, timeoutMs: SCAN_MS, maxInFlight: 1, maxBatch: 1 });
    this.#patient.set(index, { rpc });
    return { rpc };
  }
}
