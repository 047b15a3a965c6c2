import type { Alerts, Clock, Hex, Logger, Metrics } from '@causeway/core';
import { type Provider, type Providers, sideOf } from '@causeway/core/rpc';
import { toEventSelector } from 'viem/utils';
import { Spans } from '../logs/spans.js';
import { quantity, type RpcBlock, type RpcLog } from '../rpc/types.js';
import type { Head } from '../watch/heads.js';
import { pairAbi, poolAbi } from './abi.js';
import type { SwapConfig } from './config.js';
import { Paths } from './paths.js';
import type { Pool } from './pool.js';
import { type Place, PoolReader, type Wish } from './pool-reader.js';
import { MAX_READS } from './read-many.js';
import type { KnownPools } from './router-venue.js';
import { TickBudget } from './v3/tick-budget.js';
import { type TickWindow, withStale } from './v3/tick-window.js';

export interface PoolServices {
  readonly clock: Clock;
  readonly log: Logger;
  readonly alerts: Alerts;
  readonly metrics: Metrics;
}

const SYNC = toEventSelector(pairAbi[1]);
const [MINT, BURN, SWAP] = [poolAbi[5], poolAbi[6], poolAbi[7]].map((event) => toEventSelector(event)) as [
  Hex,
  Hex,
  Hex,
];
const TOPICS = [[SYNC, MINT, BURN, SWAP]];

const DISCOVER_MS = 300_000;
const MAX_BLOCKS_PER_READ = 64;
const WORD_TICKS = 256;
const RETRY_DELAY_MS = 1_000;

interface State {
  readonly head: Pick<Head, 'height' | 'id'>;
  readonly at: number;
  readonly places: readonly Place[];
  readonly discoveredAt: number;
  readonly pools: ReadonlyMap<string, Pool>;
  readonly windows: ReadonlyMap<string, TickWindow>;
  readonly pairs: KnownPools;
  readonly concentrated: KnownPools;
}

type Changes =
  | 'all'
  | { readonly pools: ReadonlySet<string>; readonly ticks: ReadonlyMap<string, ReadonlySet<number>> };

/**
 * Cached pool states of one chain: after each block, the pools and ticks that its events name are read at that block.
 *
 * Invariant: the state is that of one block of the most advanced provider's chain. A reorg causes a full read. Reads
 * that third parties can cause are bounded (`TickBudget`): a pool that costs more is left out, and an alert names it.
 */
export class PoolFeed {
  readonly #config: SwapConfig;
  readonly #providers: Providers;
  readonly #services: PoolServices;
  readonly #chain: { readonly id: number; readonly name: string };
  readonly #budget: TickBudget;
  readonly #spans = new Spans(MAX_READS);
  readonly #held = new Set<string>();
  #state: State | undefined;
  #wanted: Head | undefined;
  #running: Promise<void> | undefined;
  #stopped = false;
  #failures = 0;
  #again = new AbortController();

  constructor(
    chain: { readonly id: number; readonly name: string },
    config: SwapConfig,
    providers: Providers,
    services: PoolServices,
  ) {
    this.#chain = chain;
    this.#config = config;
    this.#providers = providers;
    this.#services = services;
    const words = 2 * (config.pools?.words ?? 0) + 1;
    this.#budget = new TickBudget(words * (1 + WORD_TICKS), services.clock);
  }

  /** Undefined without fresh data. From memory. */
  known(kind: Place['kind']): KnownPools | undefined {
    const state = this.#state;
    if (state === undefined || this.#services.clock.now() - state.at > this.#config.maxAgeMs) return undefined;
    return kind === 'pair' ? state.pairs : state.concentrated;
  }

  get height(): number {
    return this.#state?.head.height ?? 0;
  }

  onHead(head: Head): void {
    this.#wanted = head;
    this.#again.abort();
    this.#running ??= this.#follow().finally(() => {
      this.#running = undefined;
    });
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    this.#again.abort();
    await this.#running;
  }

  async #follow(): Promise<void> {
    while (this.#wanted !== undefined && !this.#stopped) {
      const head = this.#wanted;
      this.#wanted = undefined;
      try {
        const isLeft = await this.#read(head, this.#providerFor(head));
        this.#failures = 0;
        if (isLeft) await this.#rest(head);
      } catch (error) {
        const { log, metrics } = this.#services;
        metrics.count('pool_reads_failed', 'Blocks after which pools could not be read', { chain: this.#chain.id });
        this.#failures += 1;
        log.debug({ height: head.height, error: String(error) }, 'pools could not be read');
        await this.#rest(head);
      }
    }
  }

  async #rest(head: Head): Promise<void> {
    if (this.#wanted !== undefined || this.#stopped) return;
    this.#again = new AbortController();
    await this.#services.clock.sleep(RETRY_DELAY_MS, this.#again.signal);
    this.#wanted ??= head;
  }

  /** Third-party pools may cause failures, so these do not take a provider out of use: the next one is queried. */
  #providerFor({ provider }: Head): Provider {
    const usable = this.#providers.usable();
    const first = usable.findIndex(({ index }) => index === provider.index);
    const next = first < 0 ? undefined : usable[(first + this.#failures) % usable.length];
    return sideOf(next ?? provider, 'pools');
  }

  async #read(head: Head, provider: Provider): Promise<boolean> {
    const { clock } = this.#services;
    const reader = new PoolReader(provider, head.id, this.#spans);
    const before = this.#state;
    const now = clock.now();
    const isDue = before === undefined || now - before.discoveredAt >= DISCOVER_MS;
    const [places, changes] = await Promise.all([
      isDue ? reader.places(this.#config) : before.places,
      before === undefined ? ('all' as const) : this.#changes(before, head, provider),
    ]);
    const pools = new Map<string, Pool>();
    const windows = new Map<string, TickWindow>();
    const wishes: Wish[] = [];
    for (const place of places) {
      const { address } = place;
      if (this.#budget.isHeld(address)) continue;
      const known = changes === 'all' ? undefined : { pool: before?.pools.get(address), changes };
      const window = known && before?.windows.get(address);
      if (known?.pool !== undefined && !known.changes.pools.has(address)) {
        pools.set(address, known.pool);
        if (window) windows.set(address, window);
      } else wishes.push({ place, window: window && withStale(window, known?.changes.ticks.get(address) ?? []) });
    }
    const read = await reader.pools(wishes, this.#config.pools?.words ?? 0, this.#budget);
    let isLeft = false;
    for (const { place } of wishes) {
      const one = read.get(place.address);
      if (one?.is === 'read') pools.set(place.address, one.pool);
      if (one?.is === 'left') isLeft = true;
      if (one !== undefined && one.is !== 'held' && one.window) windows.set(place.address, one.window);
      this.#report(place, one?.is === 'held');
    }
    const { height, id } = head;
    const known = (kind: Place['kind'], old: KnownPools | undefined): KnownPools => ({
      pools,
      paths: isDue || !old ? new Paths(places.filter((place) => place.kind === kind)) : old.paths,
      height,
    });
    this.#state = {
      ...{ head: { height, id }, at: head.at, places, pools, windows },
      discoveredAt: isDue ? now : before.discoveredAt,
      pairs: known('pair', before?.pairs),
      concentrated: known('pool', before?.concentrated),
    };
    this.#services.metrics.gauge('pools_height', 'Block that swaps are quoted from', height, { chain: this.#chain.id });
    return isLeft;
  }

  #report({ address, token0, token1, fee }: Place, isHeld: boolean): void {
    if (isHeld === this.#held.has(address)) return;
    const { alerts, metrics } = this.#services;
    const { id, name } = this.#chain;
    const alert = `pool-${id}-${address}`;
    if (isHeld) {
      this.#held.add(address);
      const message = `${name}: swaps pass by the pool ${address} for ten minutes, its ticks change faster than they are read`;
      alerts.raise(alert, message, { token0, token1, fee });
    } else {
      this.#held.delete(address);
      alerts.clear(alert);
    }
    metrics.gauge('pools_held', 'Pools that cost more to read than they may', this.#held.size, { chain: id });
  }

  async #changes(before: State, head: Head, { rpc }: Provider): Promise<Changes> {
    const { head: last, places } = before;
    const follows = head.parentHash === last.id;
    if (head.id === last.id || (follows && head.empty)) return { pools: new Set(), ticks: new Map() };
    if (head.height <= last.height || head.height - last.height > MAX_BLOCKS_PER_READ || places.length === 0)
      return 'all';
    const filter = { address: places.map(({ address }) => address), topics: TOPICS };
    const range = { fromBlock: quantity(last.height + 1), toBlock: quantity(head.height) };
    const [logs, block] = await Promise.all([
      rpc.request<readonly RpcLog[]>('eth_getLogs', [{ ...filter, ...(follows ? { blockHash: head.id } : range) }]),
      follows ? undefined : rpc.request<RpcBlock | null>('eth_getBlockByNumber', [quantity(last.height), false]),
    ]);
    // guard: pools-after-reorg
    if (!follows && block?.hash !== last.id) return 'all';
    const pools = new Set<string>();
    const ticks = new Map<string, Set<number>>();
    for (const { address, topics, data } of logs) {
      const pool = address.toLowerCase();
      pools.add(pool);
      const [event, , lower, upper] = topics;
      // A burn of zero only settles fees.
      if (lower === undefined || upper === undefined || (event !== MINT && event !== BURN)) continue;
      if (event === BURN && BigInt(data.slice(0, 66)) === 0n) continue;
      const changed = ticks.get(pool) ?? new Set();
      for (const tick of [lower, upper]) changed.add(Number(BigInt.asIntN(24, BigInt(tick))));
      ticks.set(pool, changed);
    }
    return { pools, ticks };
  }
}
