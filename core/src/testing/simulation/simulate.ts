import { initKeccak } from '../../domain/keccak.js';
import type { ServicePolicy } from '../../domain/policy.js';
import { memoryStore } from '../../store/memory/memory-store.js';
import { fakeChain } from '../fake-chain/fake-chain.js';
import type { FakeChain, FakeChainOptions } from '../fake-chain/fake-chain-types.js';
import { SeededRandom } from '../seeded-random.js';
import { SimClock } from '../sim-clock.js';
import { PARTING } from './attacks/market-attacks.js';
import { playAttack } from './attacks/play-attack.js';
import { MAX_TOP_UP, POOL_TOKEN } from './drawn-values.js';
import { playOwner, playReturns } from './endpoint-owner.js';
import { LEASE_MS, playFault } from './faults/play-fault.js';
import { RpcWeather } from './faults/rpc-faults.js';
import { BALANCE_CURRENCY, playBalance, playRawCall } from './integrator-acts.js';
import { SimulatedMarket } from './market.js';
import { judgeAll, unfinished } from './oracle/quiescence.js';
import { GOV_PRICE, playTrades, poolsOf } from './pools.js';
import type { RunResult } from './report.js';
import type { ChainPlan, EndpointPlan, FixedRatePlan, Scenario } from './scenario.js';
import { playShop } from './shop.js';
import { Trace } from './trace.js';
import { playUser } from './user.js';
import { type Broken, World } from './world.js';

export interface SimulateOptions {
  /** Keeps the trace's text, not only its digest. */
  readonly trace?: boolean;
  /** Removes guards, to test the oracle. */
  readonly broken?: Broken;
}

/** Every user and fault has begun by then. */
const BUSY_LIMIT_MS = 240_000;
/** A healthy world finishes every request within this. */
const HEALTHY_LIMIT_MS = 240_000;
/**
 * Or this long after the last deadline: after foreign use of a key, or where a ledger lost sends, only an order's end
 * proves that it was not filled, and a clock an hour ahead promises deadlines an hour late. The slowest proof takes 29
 * blocks of 3.6 s, then finality and a pause of 15 s; the refund that waited for it becomes final as well.
 */
const AFTER_DEADLINE_MS = 180_000;
/**
 * Or while the queue shrinks at least this often: a halted wallet with one key per block refunds forty orders one by
 * one.
 */
const PROGRESS_MS = 30_000;
/** Idle time at the end: two reconciler rounds over receipts and one over collections. */
const SETTLE_MS = 15_000;
const SLICE_MS = 2_000;
const READ_MS = 5_000;

/** Longest retry pause, by a clock that was hours ahead. */
const REPORTING_LIMIT_MS = 4 * 3_600_000;
const REPORTING_SLICE_MS = 60_000;

/** Longer unconfirmed payments past their deadline are abandoned; older saved scenarios have none. */
const CONFIRMATION_TIMEOUT_MS = 60_000;

/** Micro-USD per whole unit. */
const PRICES = { usd: 1_000_000, coin: 100_000_000, gold: 50_000_000 };
const POOL_PRICES = { ...PRICES, gov: GOV_PRICE };

/** Plays one scenario to its final verdict. Deterministic, byte for byte. */
export async function simulate(scenario: Scenario, options: SimulateOptions = {}): Promise<RunResult> {
  await initKeccak();
  const random = new SeededRandom(scenario.seed).fork('run');
  const clock = new SimClock(random);
  const trace = new Trace(options.trace === true);
  const end = new AbortController();
  const world = makeWorld(scenario, random, clock, trace, end.signal, options);
  const weather = new RpcWeather(world);
  let failed: unknown;
  const play = (task: Promise<void>): Promise<void> =>
    task.catch((error: unknown) => {
      failed ??= error;
    });
  void play(world.keep(1));
  void play(consume(world));
  const { attacks = [], shops = [], trades = [], endpoints = [], gasless } = scenario;
  let busy = scenario.users.length + scenario.faults.length + attacks.length + shops.length + endpoints.length + 1;
  busy += (gasless?.balances.length ?? 0) + (gasless?.calls.length ?? 0);
  const over = (): void => {
    busy -= 1;
  };
  for (const plan of scenario.users) void play(playUser(world, plan)).then(over);
  for (const plan of scenario.faults) void play(playFault(world, weather, plan)).then(over);
  for (const plan of attacks) void play(playAttack(world, plan)).then(over);
  for (const plan of shops) void play(playShop(world, plan)).then(over);
  for (const plan of endpoints) void play(playOwner(world, plan)).then(over);
  for (const plan of gasless?.balances ?? []) void play(playBalance(world, plan)).then(over);
  for (const plan of gasless?.calls ?? []) void play(playRawCall(world, plan)).then(over);
  void play(playTrades(world, trades)).then(over);
  const step = (): boolean => {
    world.economy.look();
    if (world.safety.step()) world.claims.judge();
    return failed !== undefined;
  };
  await clock.run({ until: BUSY_LIMIT_MS, stop: () => step() || busy === 0 });
  await heal(world, weather, play);
  if (world.restored) void play(recoverLost(world));
  const limit = Math.max(clock.monotonic() + HEALTHY_LIMIT_MS, lastDeadline(world) + AFTER_DEADLINE_MS);
  let quietFrom: number | undefined;
  let least = { left: Number.POSITIVE_INFINITY, at: clock.monotonic() };
  while (failed === undefined && clock.monotonic() < Math.max(limit, least.at + PROGRESS_MS)) {
    await clock.run({ until: clock.monotonic() + SLICE_MS, stop: step });
    const left = unfinished(world).length;
    if (left < least.left) least = { left, at: clock.monotonic() };
    if (left > 0) quietFrom = undefined;
    else quietFrom ??= clock.monotonic();
    if (quietFrom !== undefined && clock.monotonic() - quietFrom >= SETTLE_MS) break;
  }
  if (failed !== undefined) throw failed;
  for (const what of unfinished(world)) world.findings.say('unfinished', what);
  await world.readEvents();
  judgeAll(world);
  await world.judgeBalances();
  if (endpoints.length > 0) await reportTheRest(world, endpoints, play, step);
  if (failed !== undefined) throw failed;
  for (const process of world.alive) world.kill(process);
  end.abort();
  return result(scenario, world, trace);
}

/** Only deliveries remain: their pauses of up to hours pass without an engine. */
async function reportTheRest(
  world: World,
  endpoints: readonly EndpointPlan[],
  play: (task: Promise<void>) => Promise<void>,
  stop: () => boolean,
): Promise<void> {
  const { clock } = world;
  let busy = true;
  const begin = async (): Promise<void> => {
    await playReturns(world, endpoints);
    for (const process of world.running) await process.stop(true);
    busy = false;
  };
  void play(begin());
  const limit = clock.monotonic() + REPORTING_LIMIT_MS;
  while (!stop() && clock.monotonic() < limit && (busy || (await world.isReporting())))
    await clock.run({ until: clock.monotonic() + REPORTING_SLICE_MS, stop });
  await clock.run({ until: clock.monotonic() + REPORTING_SLICE_MS, stop });
  await world.judgeReported();
}

/** Virtual milliseconds. */
function lastDeadline({ clock, promises, ledger, policy }: World): number {
  const began = clock.trueNow - clock.monotonic();
  // An unconfirmed payment is abandoned some time after its observation, by any process's clock.
  const waiting = [...ledger.rows('deposits')].filter(({ state }) => state === 'mempool');
  const ends = waiting.map(({ seenAt }) => seenAt + policy.confirmationTimeoutMs);
  // A top-up that is paid apart from its fill may land one order lifetime later.
  const promised = [...promises.values()].map(
    ({ deadline, topUp }) => deadline * 1_000 + (topUp && !topUp.isNeeded ? policy.orderTtlMs : 0),
  );
  return Math.max(0, ...[...promised, ...ends].map((at) => at - began));
}

/** Repeated, as processes may still be starting. */
async function recoverLost(world: World): Promise<void> {
  for (let tries = 0; tries < 10; tries += 1) {
    await world.clock.sleep(5_000);
    await world.recoverAddresses();
  }
}

async function consume(world: World): Promise<never> {
  for (;;) {
    await world.clock.sleep(READ_MS);
    await world.readEvents();
  }
}

function makeWorld(
  scenario: Scenario,
  random: SeededRandom,
  clock: SimClock,
  trace: Trace,
  end: AbortSignal,
  options: SimulateOptions,
): World {
  const short = (kind: string, chain: number) =>
    scenario.faults.some((one) => one.kind === kind && one.chain === chain);
  const chains = scenario.chains.map((plan): FakeChain => {
    const chain = fakeChain({
      ...optionsOf(plan, clock, random, short, scenario.attacks !== undefined, scenario.trades !== undefined),
      ...(scenario.trades && plan.profile === 'nonce' ? { pools: poolsOf() } : {}),
    });
    chain.start(end);
    return chain;
  });
  const spectators = new Map(
    chains.map((chain) => [
      chain.id,
      chain.adapter({ clock: clock.process(), random: random.fork('spectator'), signal: AbortSignal.abort() }),
    ]),
  );
  return new World({
    clock,
    random,
    trace,
    chains,
    spectators,
    market: new SimulatedMarket(clock, scenario.trades ? POOL_PRICES : PRICES),
    policy: policyOf(scenario),
    shops: scenario.shops ?? [],
    endpoints: scenario.endpoints ?? [],
    screening: scenario.screening,
    swaps: scenario.trades !== undefined,
    gasless: scenario.gasless !== undefined,
    limits: scenario.gasless?.limits ?? [],
    openStore: (snapshot) => {
      const store = memoryStore(snapshot ? { clock, from: snapshot } : { clock });
      // The in-memory store never waits.
      void store.open();
      return store;
    },
    broken: options.broken ?? {},
  });
}

function optionsOf(
  plan: ChainPlan,
  clock: SimClock,
  random: SeededRandom,
  short: (kind: string, chain: number) => boolean,
  attacked: boolean,
  pooled: boolean,
): FakeChainOptions {
  const plenty = 1_000_000_000_000n;
  const little = 600_000_000n;
  return {
    id: plan.id,
    profile: plan.profile,
    clock,
    random: random.fork(`chain ${plan.id}`),
    blockTimeMs: plan.blockTimeMs,
    finalityDepth: plan.finalityDepth,
    irregular: plan.irregular === true,
    shares: plan.shares === true,
    vault: plan.vault === true,
    ...(plan.orderIdBytes === undefined ? {} : { orderIdBytes: plan.orderIdBytes }),
    payerSwaps: plan.own === true,
    swapDeposits: plan.swapsIn === true,
    addresses: plan.addresses === true,
    calls: plan.calls === true,
    providers: 2,
    native: { symbol: 'FAKE', decimals: 6, group: 'coin' },
    tokens: [
      { symbol: 'USDF', decimals: 6, group: 'usd' },
      { symbol: 'GLD', decimals: 9, group: 'gold', transferCheck: true },
      ...(attacked ? [{ symbol: PARTING, decimals: 6, group: 'usd' }] : []),
      ...(pooled ? [{ symbol: POOL_TOKEN, decimals: 6, group: 'gov', swappedIn: plan.swapsIn === true }] : []),
    ],
    inventory: {
      FAKE: short('gasDrought', plan.id) ? 100_000n : plenty,
      USDF: short('drought', plan.id) ? little : plenty,
      GLD: short('drought', plan.id) ? little * 20n : plenty * 1_000n,
      ...(attacked ? { [PARTING]: plenty } : {}),
      ...(pooled ? { [POOL_TOKEN]: 0n } : {}),
    },
    acceptDepth: () => plan.acceptDepth,
  };
}

function policyOf({ policy, chains, gasless }: Scenario): ServicePolicy {
  return {
    network: 'local',
    solverChain: `fake-${chains[0]?.id}`,
    orderTtlMs: policy.orderTtlMs,
    confirmationTimeoutMs: policy.confirmationTimeoutMs ?? CONFIRMATION_TIMEOUT_MS,
    defaultSlippageBps: 100,
    routeFees: [{ bps: 100, floorMicroUsd: 10_000n }],
    limits: {
      maxRequestMicroUsd: null,
      maxUnfinalMicroUsd: policy.maxUnfinalUsd === null ? null : BigInt(policy.maxUnfinalUsd) * 1_000_000n,
      maxDailyMicroUsd: policy.maxDailyUsd === undefined ? null : BigInt(policy.maxDailyUsd) * 1_000_000n,
      dustMicroUsd: BigInt(policy.dustMicroUsd ?? 0),
    },
    ...fixedRateOf(policy.fixedRate),
    ...(gasless ? { balanceCurrencies: new Map(chains.map(({ id }) => [id, [BALANCE_CURRENCY]])) } : {}),
    spread: { classes: [{ bps: 10, perRootMinuteBps: 6 }] },
    swaps: { mostImpactBps: 1_000 },
    mostPartedBps: 100,
    mostTopUpMicroUsd: BigInt(MAX_TOP_UP),
    mostUnpaidQuotes: policy.mostUnpaidQuotes ?? null,
    mostAddressesPerDay: null,
    anonymousQuotes: { lifeMs: 6 * 3_600_000, most: null },
    deliveryLifeMs: 30 * 86_400_000,
    leastFreeBytes: 0n,
    custodians: new Map(),
    bumpAfterBlocks: 3,
    inclusionWindowMs: policy.inclusionWindowMs,
    fillConfirmations: policy.fillConfirmations,
    deadlineMarginMs: 1_000,
    withdrawalTtlMs: 600_000,
    collect: { everyMs: 5_000, minMicroUsd: 1n },
    gasReserveFills: policy.gasReserveFills,
    giveUpShortMs: 30_000,
    reconcileEveryMs: 5_000,
    leaseTtlMs: LEASE_MS,
  };
}

function fixedRateOf(plan: FixedRatePlan | undefined): Pick<ServicePolicy, 'fixedRate'> {
  if (plan === undefined) return {};
  const { validityMs, perKey, all } = plan;
  const most = { maxHeldMicroUsdPerKey: BigInt(perKey), maxHeldMicroUsd: BigInt(all) };
  return { fixedRate: { validityMs, fee: { classes: [{ bps: 10, perRootMinuteBps: 20 }] }, ...most } };
}

async function heal(world: World, weather: RpcWeather, play: (task: Promise<void>) => Promise<void>): Promise<void> {
  world.note('world', 'is healthy from now on');
  weather.calm();
  world.receivers?.calm();
  if (world.screener) world.screener.isAway = false;
  world.traps.clear();
  world.storeFaults.clear();
  world.want(1);
  for (const group of Object.keys(PRICES)) world.market.outage(group, false);
  for (const chain of world.chains.values()) {
    chain.halted = false;
    chain.forking = 0;
    chain.baseFee = 10n;
    for (const symbol of ['FAKE', 'USDF', 'GLD']) chain.fund(chain.signer, chain.currencyOf(symbol), 10n ** 15n);
    if (chain.executor !== undefined) chain.fund(chain.executor, chain.currencyOf('FAKE'), 10n ** 15n);
  }
  for (const process of world.alive) process.life.resume();
  void play(liftPauses(world));
}

async function liftPauses(world: World): Promise<void> {
  while (world.running.length === 0) await world.clock.sleep(SLICE_MS);
  const scopes = ['all', ...[...world.chains.keys()].map((id) => `chain:${id}`)];
  for (const process of world.running) for (const scope of scopes) await process.engine.pause(scope, false, null);
}

function result(scenario: Scenario, world: World, trace: Trace): RunResult {
  const outcomes: Record<string, number> = {};
  let requests = 0;
  for (const { status } of world.ledger.rows('requests')) {
    requests += 1;
    outcomes[status] = (outcomes[status] ?? 0) + 1;
  }
  return {
    seed: scenario.seed,
    digest: trace.digest(),
    steps: world.clock.steps,
    virtualMs: world.clock.monotonic(),
    chains: world.chains.size,
    requests,
    users: Object.fromEntries(world.users),
    faults: Object.fromEntries(world.faults),
    attacks: Object.fromEntries(world.attacks),
    ways: Object.fromEntries(world.ways),
    sights: Object.fromEntries(world.sights),
    outcomes,
    violations: world.findings.list,
    trace: trace.lines,
  };
}
