import type { ChainAdapter } from '../../contract/chain-adapter.js';
import type { ChainId } from '../../contract/ids.js';
import type { Change, ChangeSet, MutableTable, Store } from '../../contract/store.js';
import type { ServicePolicy } from '../../domain/policy.js';
import { markRestored } from '../../engine/recovery/restored.js';
import type { MemorySnapshot, MemoryStore } from '../../store/memory/memory-store.js';
import type { FakeAdapter, FakeChain, FakeFill, FakeProviderControls } from '../fake-chain/fake-chain-types.js';
import type { SeededRandom } from '../seeded-random.js';
import type { SimClock } from '../sim-clock.js';
import { faultyStore } from './faulty-store.js';
import { Incarnation, type Side } from './incarnation.js';
import { increment } from './increment.js';
import { fundingAddress, integratorOf, KEYS, keyName, keyRow } from './integrators.js';
import type { SimulatedMarket } from './market.js';
import { AddressJudge } from './oracle/address-judge.js';
import { AtRisk } from './oracle/at-risk.js';
import { ChainWatch } from './oracle/chain-watch.js';
import { ClaimJudge } from './oracle/claim-judge.js';
import { driftOf } from './oracle/drift.js';
import { Economy } from './oracle/economy.js';
import { FeedReader } from './oracle/feed-reader.js';
import { GaslessJudge } from './oracle/gasless-judge.js';
import { JoinedTransfers } from './oracle/joined.js';
import { Ledger } from './oracle/ledger.js';
import { LimitJudge } from './oracle/limit-judge.js';
import { PayerSwapJudge } from './oracle/payer-swap-judge.js';
import { PoolJudge, type Sight } from './oracle/pool-judge.js';
import type { Promised } from './oracle/promised.js';
import { RateJudge } from './oracle/rate-judge.js';
import { ReportedJudge } from './oracle/report-judge.js';
import { Safety } from './oracle/safety.js';
import { ScreeningJudge } from './oracle/screening-judge.js';
import { SwapInJudge } from './oracle/swap-in-judge.js';
import { TopUpJudge } from './oracle/top-up-judge.js';
import { Findings } from './oracle/violation.js';
import { Receivers } from './receivers.js';
import type { EndpointPlan, LimitPlan, ScreeningPlan, ShopPlan } from './scenario.js';
import { SimulatedScreener } from './screener.js';
import { type ServiceProcess, startProcess } from './service-process.js';
import type { Trace } from './trace.js';

export interface Broken {
  /** Replaces a change set; `world` gives versions. */
  readonly changeSet?: (set: ChangeSet, world: World) => ChangeSet;
  readonly adapter?: (adapter: ChainAdapter, chain: FakeChain) => ChainAdapter;
}

export interface WorldDeps {
  readonly clock: SimClock;
  readonly random: SeededRandom;
  readonly trace: Trace;
  readonly market: SimulatedMarket;
  readonly chains: readonly FakeChain[];
  /** Adapters of no process, only for stateless questions. */
  readonly spectators: ReadonlyMap<ChainId, FakeAdapter>;
  readonly policy: ServicePolicy;
  readonly shops: readonly ShopPlan[];
  readonly endpoints: readonly EndpointPlan[];
  readonly screening: ScreeningPlan | undefined;
  readonly swaps: boolean;
  readonly gasless: boolean;
  readonly limits: readonly LimitPlan[];
  readonly openStore: (snapshot: MemorySnapshot | undefined) => MemoryStore;
  readonly broken: Broken;
}

/** Waits for a process's call and acts there. True when finished. */
export type Trap = (process: ServiceProcess, call: string, side: Side) => boolean;

const RESPAWN_MS = 1_000;

/** Everything outside of the service, with its processes. */
export class World {
  readonly clock: SimClock;
  readonly random: SeededRandom;
  readonly market: SimulatedMarket;
  readonly policy: ServicePolicy;
  readonly chains: ReadonlyMap<ChainId, FakeChain>;
  readonly spectators: ReadonlyMap<ChainId, FakeAdapter>;
  readonly findings: Findings;
  readonly promises = new Map<string, Promised>();
  readonly economy: Economy;
  readonly claims: ClaimJudge;
  readonly topUps: TopUpJudge;
  readonly payerSwapJudge: PayerSwapJudge;
  readonly rates: RateJudge;
  readonly screened: ScreeningJudge;
  readonly screener: SimulatedScreener | undefined;
  readonly swapsIn: SwapInJudge;
  readonly addresses: AddressJudge;
  readonly joined: JoinedTransfers;
  readonly gasless: GaslessJudge;
  readonly #limits: LimitJudge;
  /** Orders whose quotes a restore lost. */
  readonly forgotten = new Set<string>();
  readonly watches = new Map<ChainId, ChainWatch>();
  readonly atRisk: AtRisk;
  readonly safety: Safety;
  readonly processes: ServiceProcess[] = [];
  readonly users = new Map<string, number>();
  readonly faults = new Map<string, number>();
  readonly attacks = new Map<string, number>();
  readonly coalition = new Set<string>();
  readonly ways = new Map<string, number>();
  readonly sights = new Map<string, number>();
  readonly traps = new Set<Trap>();
  readonly divided = new Map<ChainId, FakeProviderControls>();
  /** Probabilities of database faults; absent: none. */
  readonly storeFaults = new Map<'commitLost' | 'commitUnheard' | 'readFails' | 'storeSlow', number>();
  /** Foreign withdrawals with a signer's key, by hash. */
  readonly foreign = new Map<string, { readonly currency: string; readonly amount: bigint }>();
  ledger: Ledger;
  reader: FeedReader;
  reported: ReportedJudge;
  readonly receivers: Receivers | undefined;
  restored = false;
  readonly swaps: boolean;
  readonly hasBalances: boolean;
  readonly #pools: PoolJudge;
  readonly #trace: Trace;
  readonly #broken: Broken;
  readonly #openStore: (snapshot: MemorySnapshot | undefined) => MemoryStore;
  readonly #faultRandom: SeededRandom;
  readonly #store: Store;
  #database: MemoryStore;
  #serial = 0;
  #wanted = 1;
  #contested: ChainId | null = null;
  #restores = 0;

  constructor(deps: WorldDeps) {
    this.clock = deps.clock;
    this.random = deps.random;
    this.market = deps.market;
    this.policy = deps.policy;
    this.swaps = deps.swaps;
    this.hasBalances = deps.gasless;
    this.chains = new Map(deps.chains.map((chain) => [chain.id, chain]));
    this.spectators = deps.spectators;
    this.#trace = deps.trace;
    this.#openStore = deps.openStore;
    this.#broken = deps.broken;
    this.#faultRandom = deps.random.fork('trouble');
    this.findings = new Findings(() => this.clock.monotonic());
    this.ledger = new Ledger(this.findings, (way) => increment(this.ways, way));
    this.#pools = new PoolJudge(this.findings, (sight) => this.seen(sight));
    this.reader = new FeedReader(this.findings);
    this.reported = new ReportedJudge(this);
    this.receivers =
      deps.endpoints.length === 0 ? undefined : new Receivers(this, deps.endpoints, deps.random.fork('receivers'));
    for (const chain of deps.chains) {
      const useKey = (fundingKey: string, leg: string) => this.spectator(chain.id).useKey(fundingKey, leg);
      const watch: ChainWatch = new ChainWatch(chain, this.findings, useKey, (transfers, sweeps) =>
        this.addresses.sights.reorged(
          transfers.filter(({ to }) => watch.addresses.has(to)),
          sweeps,
        ),
      );
      this.watches.set(chain.id, watch);
    }
    this.atRisk = new AtRisk(this.chains, {
      worth: (chainId, currency, amount) => this.#leastWorth(chainId, currency, amount),
      acceptDepth: (chainId, microUsd) => this.spectator(chainId).acceptDepth(microUsd),
      quorum: (chainId, microUsd) => this.spectator(chainId).quorum(microUsd),
      most: this.policy.limits.maxUnfinalMicroUsd,
      monotonic: () => this.clock.monotonic(),
    });
    const priced = { spectator: (id: ChainId) => this.spectator(id), market: deps.market };
    const drift = (promise: Promised) => driftOf(priced, promise);
    this.claims = new ClaimJudge(this, deps.shops);
    this.topUps = new TopUpJudge(this);
    this.payerSwapJudge = new PayerSwapJudge(this);
    this.rates = new RateJudge(this);
    this.screened = new ScreeningJudge(this);
    this.screener = deps.screening && new SimulatedScreener(deps.screening, deps.clock, deps.random.fork('screener'));
    this.swapsIn = new SwapInJudge(this);
    this.addresses = new AddressJudge(this);
    this.joined = new JoinedTransfers(this);
    this.gasless = new GaslessJudge(this);
    this.#limits = new LimitJudge(this, deps.limits);
    const isOther = (watch: ChainWatch, fill: FakeFill) =>
      this.topUps.isTopUp(watch, fill) || this.claims.isClaimed(watch, fill);
    const { watches, promises, forgotten, findings, atRisk, joined } = this;
    this.safety = new Safety(watches, promises, forgotten, findings, drift, atRisk, isOther, joined);
    this.economy = new Economy(this);
    this.#database = deps.openStore(undefined);
    if (this.receivers !== undefined || deps.gasless) void this.#database.apply(keyRows(this.clock.now(), deps.limits));
    const faults = {
      commit: () => {
        if (this.#struck('commitLost')) return 'lost';
        return this.#struck('commitUnheard') ? 'unheard' : 'fine';
      },
      fails: () => this.#struck('readFails'),
      met: (scopes: readonly string[]) => this.#met(scopes),
    } as const;
    this.#store = faultyStore(
      () => this.#database,
      faults,
      (set) => this.#broken.changeSet?.(set, this) ?? set,
      { committed: (set) => this.#committed(set), claimed: (leases) => this.ledger.claimed(leases) },
    );
  }

  chain(id: ChainId): FakeChain {
    const chain = this.chains.get(id);
    if (!chain) throw new Error(`no chain ${id}`);
    return chain;
  }

  spectator(id: ChainId): FakeAdapter {
    const adapter = this.spectators.get(id);
    if (!adapter) throw new Error(`no chain ${id}`);
    return adapter;
  }

  watch(id: ChainId): ChainWatch {
    const watch = this.watches.get(id);
    if (!watch) throw new Error(`no chain ${id}`);
    return watch;
  }

  versionOf(table: MutableTable, key: object): number | undefined {
    return this.ledger.versionOf(table, key);
  }

  note(who: string, what: string): void {
    this.#trace.line(this.clock.monotonic(), who, what);
  }

  promised(promise: Promised): void {
    this.promises.set(promise.orderId, promise);
    const { address, originChainId } = promise;
    const { addresses } = this.watch(originChainId);
    // The address's own, not those of its transfers.
    if (address !== undefined && !addresses.has(address.address)) addresses.set(address.address, promise);
    this.economy.promised(promise.orderId);
    this.topUps.promised(promise);
    this.rates.promised(promise);
  }

  seen(sight: Sight): void {
    increment(this.sights, sight);
  }

  struck(kind: string, what: string): void {
    increment(this.faults, kind);
    this.note(kind, what);
  }

  get alive(): readonly ServiceProcess[] {
    return this.processes.filter(({ life }) => life.state !== 'dead');
  }

  get running(): readonly ServiceProcess[] {
    return this.processes.filter(({ life }) => life.state === 'running');
  }

  async keep(count: number): Promise<void> {
    this.#wanted = count;
    for (;;) {
      while (this.alive.length < this.#wanted) this.#spawn();
      await this.clock.sleep(RESPAWN_MS);
    }
  }

  want(count: number): void {
    this.#wanted = count;
  }

  /** The next process's first claim loses a chain's lanes to a rival. */
  contest(chainId: ChainId): void {
    this.#contested = chainId;
  }

  #met(scopes: readonly string[]): readonly string[] {
    if (this.#contested === null) return scopes;
    const lost = `lane:${this.#contested}:`;
    this.#contested = null;
    return scopes.filter((scope) => !scope.startsWith(lost));
  }

  #spawn(): void {
    this.#serial += 1;
    const name = `p${this.#serial}`;
    const life: Incarnation = new Incarnation(name, this.clock.process(), {
      onCall: (call, side) => {
        for (const trap of this.traps) if (trap(process, call, side)) this.traps.delete(trap);
      },
      latency: (call) =>
        call.startsWith('store.') && this.#struck('storeSlow') ? this.#faultRandom.between(5, 2_500) : 0,
      sleep: (ms) => this.clock.sleep(ms),
    });
    const process: ServiceProcess = startProcess({
      life,
      chains: [...this.chains.values()],
      adapt: this.#broken.adapter ?? ((adapter) => adapter),
      store: this.#store,
      prices: this.market,
      policy: this.policy,
      swaps: this.swaps,
      random: this.random.fork(name),
      screener: this.screener?.port(),
      reported: this.receivers && { notifiers: this.receivers.notifiers(), channel: this.receivers.channel() },
      onError: (fields, message) => this.#error(life, fields, message),
    });
    this.processes.push(process);
    this.note(name, 'starts');
    process.start().then(
      () => this.note(name, 'ready'),
      (error: unknown) => {
        this.note(name, `failed to start: ${String(error)}`);
        this.kill(process);
      },
    );
  }

  kill(process: ServiceProcess): void {
    if (process.life.state === 'dead') return;
    this.note(process.life.name, 'killed');
    process.life.kill();
    this.processes.splice(this.processes.indexOf(process), 1);
  }

  snapshot() {
    return {
      database: this.#database.snapshot(),
      ledger: this.ledger.copy(),
      reader: this.reader.copy(),
      reported: this.reported.copy(),
      at: this.clock.monotonic(),
      restores: this.#restores,
    };
  }

  /** Whether the database descends from this one; false after another restore. */
  isAncestor(snapshot: ReturnType<World['snapshot']>): boolean {
    return snapshot.restores === this.#restores;
  }

  restore(snapshot: ReturnType<World['snapshot']>, lost: readonly string[]): void {
    for (const process of this.alive) this.kill(process);
    this.#database = this.#openStore(snapshot.database);
    this.ledger = snapshot.ledger;
    this.reader = snapshot.reader;
    this.reported = snapshot.reported;
    this.restored = true;
    this.claims.restored(snapshot.ledger);
    this.#restores += 1;
    for (const orderId of lost) this.forgotten.add(orderId);
  }

  /** As an operator does after a restore, for all addresses that were issued. */
  async recoverAddresses(): Promise<void> {
    const [process] = this.running;
    if (process === undefined) return;
    for (const [chainId, watch] of this.watches)
      for (const [address, { requestId }] of watch.addresses)
        if (this.ledger.row('addresses', `${chainId}:${address}`) === undefined)
          await process.engine.recoverAddress(chainId, requestId).then(
            (said) => this.note('operator', `recover ${address}: ${said.ok} ${said.message}`),
            (error: unknown) => this.note('operator', `recover ${address}: ${String(error)}`),
          );
  }

  /** As an operator does for a restore with sends in flight. */
  markRestored(): Promise<void> {
    return markRestored(this.#database, this.clock.now());
  }

  get life(): number {
    return this.#restores;
  }

  /** Whether deliveries or their results are outstanding. */
  isReporting(): Promise<boolean> {
    return this.reported.isReporting(this.#database);
  }

  /** Compares receivers with delivery rows. */
  judgeReported(): Promise<void> {
    return this.reported.judgeAll(this.#database);
  }

  /** Holds books, reservations and counters of app balances against each other. */
  judgeBalances(): Promise<void> {
    return this.gasless.judgeBalances(this.#database);
  }

  readEvents(): Promise<void> {
    return this.reader.read((after, limit) => this.#database.events(after, limit));
  }

  #committed(set: ChangeSet): void {
    this.note('store', set.name);
    this.ledger.take(set);
    this.addresses.committed(set, this.ledger);
    this.gasless.committed(set, this.ledger);
    this.#limits.committed(set, this.ledger);
    this.joined.committed(set, this.ledger);
    this.atRisk.committed(set, this.ledger);
    this.economy.committed(set, this.ledger);
    this.topUps.committed(set, this.ledger);
    this.payerSwapJudge.committed(set, this.ledger);
    this.#pools.committed(set, this.ledger);
    this.reported.committed(set);
    this.screened.committed(set);
  }

  /** Logged errors are expected during faults, otherwise a bug. */
  #error({ name, resumed }: Incarnation, fields: object, message: string): void {
    const cause = (fields as { err?: unknown }).err;
    const text = cause instanceof Error ? `${cause.name}: ${cause.message}` : JSON.stringify(fields);
    this.note(name, `error: ${message}: ${text}`);
    // A resumed process decides on stale reads and is fenced off on write.
    if (message === 'refused transition' && !resumed) this.findings.say('refused-transition', text);
    if (
      cause instanceof TypeError ||
      cause instanceof RangeError ||
      /was not loaded|is owed already|gave up after/.test(text)
    )
      this.findings.say('bug', `${message}: ${text}`);
  }

  #struck(kind: 'commitLost' | 'commitUnheard' | 'readFails' | 'storeSlow'): boolean {
    const probability = this.storeFaults.get(kind);
    if (probability === undefined || !this.#faultRandom.chance(probability)) return false;
    increment(this.faults, kind);
    return true;
  }

  /** Micro-USD, at the lowest price so far. */
  #leastWorth(chainId: ChainId, address: string, amount: bigint): bigint {
    const currency = this.spectator(chainId).currency(address);
    if (!currency) return 0n;
    return (amount * BigInt(this.market.range(currency.group).least)) / 10n ** BigInt(currency.decimals);
  }
}

/** Integrators, linked to their app balances, their API keys, and what these may sponsor. */
function keyRows(now: number, limits: readonly LimitPlan[]): ChangeSet {
  const owners = new Set(Array.from({ length: KEYS }, (_, key) => integratorOf(key)));
  const integrators = [...owners].map((id): Change => {
    const row = { id, version: 1, name: id, fundingAddress: fundingAddress(id), createdAt: now };
    return { op: 'insert', table: 'integrators', row };
  });
  const keys = Array.from({ length: KEYS }, (_, key): Change => {
    return { op: 'insert', table: 'apiKeys', row: keyRow(key, now) };
  });
  const policies = limits.map(({ key, ...limit }): Change => {
    const policy = JSON.stringify(limit, (_, value: unknown) => (typeof value === 'number' ? `${value}` : value));
    return { op: 'insert', table: 'sponsorPolicies', row: { id: keyName(key), version: 1, policy, updatedAt: now } };
  });
  return { name: 'keys', changes: [...integrators, ...keys, ...policies] };
}
