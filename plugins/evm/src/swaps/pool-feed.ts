import type { Alerts, Clock, Hex, Logger, Metrics } from '@causeway/core';
import { isTransportError, type Providers } from '@causeway/core/rpc';
import { toEventSelector } from 'viem/utils';
import { quantity, type RpcBlock, type RpcLog } from '../rpc/types.js';
import type { Head } from '../watch/heads.js';
import { pairAbi, poolAbi } from './abi.js';
import type { SwapConfig } from './config.js';
import { Paths } from './paths.js';
import type { Pool } from './pool.js';
import { type Place, PoolReader, type TickWindow } from './pool-reader.js';
import type { KnownPools } from './router-venue.js';

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

/** New pools are looked for so often. */
const DISCOVER_MS = 300_000;
/** After more blocks than this everything is read anew. */
const MOST_BLOCKS = 64;
/** What could not be read is read again so much later, in milliseconds: the chain may be quiet for long. */
const AGAIN_MS = 1_000;

/** What is known of pools, as one block left them. */
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

/** Which pools other blocks changed, and of which the ticks. `all`: it is not known. */
type Changes = 'all' | { readonly pools: ReadonlySet<string>; readonly ticks: ReadonlySet<string> };

/**
 * The pools of one chain, warm: after each new block those are read again that it changed, at that very block.
 *
 * Invariant: what is told is the state of all pools after one block of the newest provider's chain. A reorg makes everything be
 * read anew.
 */
export class PoolFeed {
  readonly #config: SwapConfig;
  readonly #providers: Providers;
  readonly #services: PoolServices;
  readonly #chain: { readonly id: number; readonly name: string };
  #state: State | undefined;
  #wanted: Head | undefined;
  #running: Promise<void> | undefined;
  #stopped = false;
  /** Ends the wait after a read that failed. */
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
  }

  /** Pools of one kind; undefined while nothing fresh is known. From memory. */
  known(kind: Place['kind']): KnownPools | undefined {
    const state = this.#state;
    if (state === undefined || this.#services.clock.now() - state.at > this.#config.maxAgeMs) return undefined;
    return kind === 'pair' ? state.pairs : state.concentrated;
  }

  /** Block that is known; 0 for none. */
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

  /** One block after the other, and of those that came meanwhile the newest alone. One that could not be read is not given up. */
  async #follow(): Promise<void> {
    while (this.#wanted !== undefined && !this.#stopped) {
      const head = this.#wanted;
      this.#wanted = undefined;
      try {
        await this.#read(head);
      } catch (error) {
        const { log, metrics } = this.#services;
        metrics.count('pool_reads_failed', 'Blocks after which pools could not be read', { chain: this.#chain.id });
        if (isTransportError(error)) this.#providers.failed(head.provider, error);
        log.debug({ height: head.height, error: String(error) }, 'pools could not be read');
        if (this.#wanted !== undefined || this.#stopped) continue;
        this.#again = new AbortController();
        await this.#services.clock.sleep(AGAIN_MS, this.#again.signal);
        this.#wanted ??= head;
      }
    }
  }

  async #read(head: Head): Promise<void> {
    const { clock } = this.#services;
    const reader = new PoolReader(head.provider, head.id);
    const before = this.#state;
    const now = clock.now();
    const isDue = before === undefined || now - before.discoveredAt >= DISCOVER_MS;
    const [places, changes] = await Promise.all([
      isDue ? reader.places(this.#config) : before.places,
      before === undefined ? ('all' as const) : this.#changes(before, head),
    ]);
    const isKnown = (address: string) => before?.pools.has(address) === true;
    const pools = new Map<string, Pool>();
    const windows = new Map<string, TickWindow>();
    await Promise.all(
      places.map(async (place) => {
        const { address, kind } = place;
        const same = changes !== 'all' && isKnown(address) && !changes.pools.has(address);
        const ticks = changes !== 'all' && !changes.ticks.has(address) ? before?.windows.get(address) : undefined;
        if (same) {
          pools.set(address, before?.pools.get(address) as Pool);
          if (ticks) windows.set(address, ticks);
        } else if (kind === 'pair') pools.set(address, await reader.pair(place));
        else {
          const { pool, window } = await reader.pool(place, this.#config.pools?.words ?? 0, ticks);
          pools.set(address, pool);
          windows.set(address, window);
        }
      }),
    );
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
  }

  async #changes(before: State, head: Head): Promise<Changes> {
    const { head: last, places } = before;
    const { rpc } = head.provider;
    const follows = head.parentHash === last.id;
    // Most blocks of a quiet chain: nobody is asked what nothing changed.
    if (head.id === last.id || (follows && head.empty)) return { pools: new Set(), ticks: new Set() };
    if (head.height <= last.height || head.height - last.height > MOST_BLOCKS || places.length === 0) return 'all';
    const filter = { address: places.map(({ address }) => address), topics: TOPICS };
    const range = { fromBlock: quantity(last.height + 1), toBlock: quantity(head.height) };
    const [logs, block] = await Promise.all([
      rpc.request<readonly RpcLog[]>('eth_getLogs', [{ ...filter, ...(follows ? { blockHash: head.id } : range) }]),
      follows ? undefined : rpc.request<RpcBlock | null>('eth_getBlockByNumber', [quantity(last.height), false]),
    ]);
    if (!follows && block?.hash !== last.id) return 'all';
    const of = (topics: readonly Hex[]) =>
      new Set(logs.filter((log) => topics.includes(log.topics[0] as Hex)).map(({ address }) => address.toLowerCase()));
    return { pools: of([SYNC, MINT, BURN, SWAP]), ticks: of([MINT, BURN]) };
  }
}
