import type { ChainAdapter } from '../../contract/chain-adapter.js';
import type { ProviderReport } from '../../contract/chain-state.js';
import type { ChainId, UnixMs } from '../../contract/ids.js';
import type { LaneRef, LegKind } from '../../contract/legs.js';
import type { Backlog } from '../../contract/store.js';
import type { LaneRow } from '../../contract/store-rows.js';
import { counter } from '../../domain/accounts.js';
import { microUsdText } from '../../domain/money.js';
import type { EngineContext } from '../base/context.js';
import { currencyStanding } from '../books/currency-standing.js';
import type { InventoryView } from '../books/inventory.js';
import type { ChainHealth } from './chain-health.js';
import { gasStanding } from './gas-alerts.js';

const MAX_KEYS = 1_000;
/** Micro-USD. */
const LARGEST = BigInt(Number.MAX_SAFE_INTEGER);
const MAX_UNSETTLED = 500;
/** It reads every open delivery. */
const BACKLOG_LIFE_MS = 15_000;

export interface OverviewChain {
  readonly id: ChainId;
  readonly name: string;
  readonly healthy: boolean;
  readonly reason: string | null;
  readonly head: { readonly height: number; readonly at: UnixMs } | null;
  /** Up to where deposits are read, by the process that watches the chain; null: none has begun. */
  readonly read: { readonly height: number; readonly finalHeight: number } | null;
  /** How many must report a deposit of the largest value. */
  readonly quorum: number;
  readonly providers: readonly Required<ProviderReport>[];
}

export interface OverviewLane {
  readonly id: string;
  readonly chainId: ChainId;
  readonly signer: string;
  readonly sends: readonly LegKind[];
  /** Null: the lane was never opened. */
  readonly position: string | null;
  readonly halted: string | null;
  /** Keys that are signed and not final, at most 1,000. */
  readonly inFlight: number;
  /** Payments not begun, and keys without an inclusion; of each at most 1,000. */
  readonly waiting: number;
  /** Native coin, smallest unit; null: unknown. */
  readonly gas: { readonly balance: string | null; readonly reserve: string | null; readonly decimals: number };
}

/** Amounts in the smallest unit. */
export interface OverviewCurrency {
  readonly chainId: ChainId;
  readonly currency: string;
  readonly symbol: string;
  readonly decimals: number;
  readonly held: string;
  readonly reserved: string;
  readonly available: string;
  /** US dollars of deposits that were acted upon and are not final. */
  readonly unfinalUsd: string;
  /** What is to be held; null: none is configured. */
  readonly target: string | null;
  /** Below it an alert is raised. */
  readonly min: string | null;
}

export interface Overview {
  readonly at: UnixMs;
  readonly chains: readonly OverviewChain[];
  readonly lanes: readonly OverviewLane[];
  readonly inventory: readonly OverviewCurrency[];
  readonly queues: {
    /** At most 500. */
    readonly unsettled: number;
    readonly openHolds: number;
    readonly deliveries: readonly Backlog[];
  };
  /** US dollars; null: no limit. */
  readonly limits: {
    readonly volumeTodayUsd: string;
    readonly maxDailyUsd: string | null;
    readonly maxUnfinalUsd: string | null;
    readonly maxRequestUsd: string | null;
  };
  readonly pauses: readonly { readonly scope: string; readonly reason: string | null; readonly since: UnixMs }[];
}

/** What operators look at, for pages that read it again every few seconds. Nothing is decided by it. */
export class OverviewReader {
  readonly #context: EngineContext;
  readonly #inventory: InventoryView;
  readonly #health: ChainHealth;
  #backlog: { readonly at: number; readonly rows: readonly Backlog[] } | undefined;

  constructor(context: EngineContext, inventory: InventoryView, health: ChainHealth) {
    this.#context = context;
    this.#inventory = inventory;
    this.#health = health;
  }

  async read(): Promise<Overview> {
    const { chains, clock, store } = this.#context;
    const all = [...chains.values()];
    const [lanes, unsettled, holds, unfinal, pauses, deliveries] = await Promise.all([
      store.lanes(),
      store.unsettled(MAX_UNSETTLED),
      store.holds('open'),
      store.pots('#unfinal:'),
      store.pauses(),
      this.#deliveries(),
    ]);
    const exposed = new Map(unfinal.map(({ account, amount }) => [account, amount]));
    return {
      at: clock.now(),
      chains: await Promise.all(all.map((chain) => this.#chain(chain))),
      lanes: (await Promise.all(all.map((chain) => this.#lanes(chain, lanes)))).flat(),
      inventory: all.flatMap((chain) => this.#currencies(chain, exposed)),
      queues: { unsettled: unsettled.length, openHolds: holds.length, deliveries },
      limits: this.#limits(),
      pauses: pauses
        .filter(({ paused }) => paused)
        .map(({ scope, reason, changedAt: since }) => ({ scope, reason, since })),
    };
  }

  async #chain(chain: ChainAdapter): Promise<OverviewChain> {
    const { id, displayName: name } = chain.facts;
    const { healthy, reason, head, providers } = this.#health.status(chain);
    const cursor = await this.#context.store.cursor(id);
    return {
      ...{ id, name, healthy, reason },
      head: head && { height: head.value, at: head.at },
      read: cursor ? { height: cursor.headHeight, finalHeight: cursor.finalHeight } : null,
      quorum: chain.quorum(LARGEST),
      providers: (providers?.() ?? []).map((one) => ({ head: null, testimony: null, ...one })),
    };
  }

  #lanes(chain: ChainAdapter, rows: readonly LaneRow[]): Promise<readonly OverviewLane[]> {
    return Promise.all(chain.lanes.map((lane) => this.#lane(chain, lane, rows)));
  }

  async #lane(chain: ChainAdapter, lane: LaneRef, rows: readonly LaneRow[]): Promise<OverviewLane> {
    const { store } = this.#context;
    const { id: chainId, currency } = chain.facts;
    const { signer, sends } = lane;
    const row = rows.find((one) => one.chainId === chainId && one.signer === signer);
    const [open, waiting, gas] = await Promise.all([
      store.openKeys(chainId, signer, MAX_KEYS),
      store.waiting(chainId, signer, MAX_KEYS),
      gasStanding(this.#context, chain, lane),
    ]);
    const text = (amount: bigint | undefined) => amount?.toString() ?? null;
    return {
      ...{ id: `${chainId}:${signer}`, chainId, signer, sends, waiting },
      ...{ position: row?.position ?? null, halted: row?.halted ?? null, inFlight: open.length },
      gas: { balance: text(gas.balance), reserve: text(gas.reserve), decimals: currency.decimals },
    };
  }

  #currencies(chain: ChainAdapter, exposed: ReadonlyMap<string, bigint>): readonly OverviewCurrency[] {
    return chain.currencies().map((one) => {
      const { chainId, address: currency, symbol, decimals } = one;
      const { held, reserved, available, target, min } = currencyStanding(this.#context, this.#inventory, chain, one);
      return {
        ...{ chainId, currency, symbol, decimals },
        ...{ held: held.toString(), reserved: reserved.toString(), available: available.toString() },
        ...{ target: target?.toString() ?? null, min: min?.toString() ?? null },
        unfinalUsd: microUsdText(exposed.get(counter.unfinal(chainId, currency)) ?? 0n),
      };
    });
  }

  #limits(): Overview['limits'] {
    const { maxDailyMicroUsd, maxUnfinalMicroUsd, maxRequestMicroUsd } = this.#context.policy.limits;
    const usd = (most: bigint | null) => (most === null ? null : microUsdText(most));
    return {
      volumeTodayUsd: microUsdText(this.#inventory.volume(this.#context)),
      maxDailyUsd: usd(maxDailyMicroUsd),
      maxUnfinalUsd: usd(maxUnfinalMicroUsd),
      maxRequestUsd: usd(maxRequestMicroUsd),
    };
  }

  async #deliveries(): Promise<readonly Backlog[]> {
    const now = this.#context.clock.monotonic();
    if (this.#backlog === undefined || now - this.#backlog.at >= BACKLOG_LIFE_MS)
      this.#backlog = { at: now, rows: await this.#context.store.backlog() };
    return this.#backlog.rows;
  }
}
