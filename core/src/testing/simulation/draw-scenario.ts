import type { TradeType } from '../../domain/quote.js';
import type { FakeProfileName } from '../fake-chain/fake-chain-types.js';
import { SeededRandom } from '../seeded-random.js';
import { drawEndpoints, keying } from './draw-endpoints.js';
import { callingForOthers, drawGasless, gaslessly } from './draw-gasless.js';
import { drawScreening, drawSilence } from './draw-screening.js';
import { BUSY_MS, MAX_TOP_UP, POOL_SIDES, POOL_TOKEN, SYMBOLS } from './drawn-values.js';
import {
  ATTACK_KINDS,
  type AttackKind,
  type AttackPlan,
  type ChainPlan,
  FAULT_KINDS,
  type FaultKind,
  type FaultPlan,
  POOL_ATTACKS,
  POOL_FAULTS,
  POOL_USERS,
  type PolicyPlan,
  type Profile,
  type Scenario,
  type ShopPlan,
  SWAP_IN_ATTACKS,
  type TradePlan,
  USER_KINDS,
  type UserKind,
  type UserPlan,
} from './scenario.js';

const FIRST_CHAIN = 901;
const MIN_FAULTS = 3;

/** Weighted towards the kinds served today. */
const PROFILES: readonly FakeProfileName[] = ['nonce', 'nonce', 'expiring', 'expiring', 'async', 'utxo'];

const TRADE_TYPES: readonly TradeType[] = ['EXACT_INPUT', 'EXACT_OUTPUT', 'EXPECTED_OUTPUT'];

/** Draws a run. Each run omits a random part of what could happen, so that no fault always hides another. */
export function drawScenario(seed: number, profile: Profile = {}): Scenario {
  const random = new SeededRandom(seed).fork('scenario');
  const drawn = shortening(random.fork('forms'), drawChains(random.fork('chains'), profile), profile);
  const plain = sharing(random.fork('shares'), drawn, profile);
  const attacks = drawAttacks(random.fork('attacks'), profile, plain);
  const isMet = (kind: AttackKind): boolean => attacks.some((attack) => attack.kind === kind);
  const owned = owning(random.fork('own'), plain, isMet('foreignExecuting'));
  const traded = swapsIn(profile) ? swappingIn(owned) : owned;
  const addressable = profile.addresses ? traded.map((chain) => ({ ...chain, addresses: true as const })) : traded;
  const chains = profile.gasless ? callingForOthers(random.fork('executors'), addressable) : addressable;
  const isQuiet = profile.faults === undefined ? random.fork('quiet').chance(QUIET) : profile.faults.length === 0;
  const quiet = attacks.length > 0 && isQuiet;
  const pooled = hasPools(profile, chains);
  const moves = pooled && attacks.length > 0 && !abusesSwapsIn(profile);
  const movers = moves ? drawMovers(random.fork('movers'), attacks, chains) : [];
  const stayed = staying(random.fork('one chain'), drawUsers(random.fork('users'), profile, chains));
  const fixedRate = drawFixedRate(random.fork('fixed rate'), isMet('firmOption'));
  const executed = executing(random.fork('executing'), stayed, chains, pooled);
  const topped = toppedUp(random.fork('top-ups'), executed);
  const brought = pooled ? swapping(random.fork('swapping'), topped, chains) : topped;
  const swapped = payingBySwap(random.fork('paying by swap'), brought, chains);
  const called = calling(random.fork('coin for calls'), swapped, chains);
  const endpoints = drawEndpoints(random.fork('endpoints'), profile, chains);
  const users = endpoints.length > 0 ? keying(random.fork('keys'), called) : called;
  const fixed = fixedRate.fixedRate ? fixing(random.fork('fixed'), users) : users;
  const faults = quiet ? [] : drawFaults(random.fork('faults'), profile, chains);
  const [{ id: anyChain } = { id: FIRST_CHAIN }] = chains;
  const atAddresses = profile.addresses ? addressing(random.fork('addresses'), fixed) : fixed;
  // Only a screener gives recovery addresses a use.
  const addressed = profile.screening ? recovering(random.fork('recovery'), atAddresses) : atAddresses;
  const gasless = profile.gasless ? gaslessly(random.fork('gasless'), addressed, chains) : addressed;
  const silence = profile.screening
    ? drawSilence(random.fork('silence'), faults.length, anyChain, BUSY_MS + 5_000)
    : [];
  return {
    seed,
    chains,
    policy: {
      ...drawPolicy(random.fork('policy'), profile),
      ...drawGuards(random.fork('guards'), attacks, quiet),
      ...fixedRate,
    },
    users: gasless,
    // Without faults, all costs to others come from attackers.
    faults: [...faults, ...silence],
    ...(profile.screening ? { screening: drawScreening(random.fork('screening'), users) } : {}),
    ...(attacks.length === 0 ? {} : { attacks: [...attacks, ...movers] }),
    ...(pooled ? { trades: drawTrades(random.fork('trades'), chains) } : {}),
    ...drawShops(random.fork('shops')),
    ...(profile.gasless ? { gasless: drawGasless(random.fork('calls for others'), chains) } : {}),
    ...(endpoints.length > 0 ? { endpoints } : {}),
  };
}

function callers(chains: readonly ChainPlan[]): readonly number[] {
  return chains.filter(({ profile }) => profile === 'nonce').map(({ id }) => id);
}

/** Only on request by a profile, so that other runs stay unchanged. */
function hasPools({ pools, attacks = [] }: Profile, chains: readonly ChainPlan[]): boolean {
  return callers(chains).length > 0 && (pools === true || attacks.some((kind) => POOL_ATTACKS.includes(kind)));
}

function abusesSwapsIn({ attacks = [] }: Profile): boolean {
  return attacks.some((kind) => SWAP_IN_ATTACKS.includes(kind));
}

function swapsIn(profile: Profile): boolean {
  return (profile.pools === true && profile.swapsIn === true) || abusesSwapsIn(profile);
}

/** Separate draws, so that nothing else about a run depends on them. */
function swapping(random: SeededRandom, users: readonly UserPlan[], chains: readonly ChainPlan[]): readonly UserPlan[] {
  const able = callers(chains);
  return users.map((user) => {
    if (!able.includes(user.destination) || !random.chance(0.4)) return user;
    const swaps = {
      fallback: random.chance(0.4),
      exact: random.chance(0.4),
      slippageBps: random.pick([20, 100, 500]),
      measured: random.chance(0.3),
    };
    return { ...user, gets: POOL_TOKEN, swaps };
  });
}

function drawTrades(random: SeededRandom, chains: readonly ChainPlan[]): TradePlan[] {
  return Array.from({ length: random.between(4, 16) }, () => ({
    at: random.between(0, BUSY_MS + 20_000),
    chain: random.pick(callers(chains)),
    symbol: random.pick(POOL_SIDES),
    buys: random.chance(0.5),
    value: random.between(100, 8_000) * 1_000_000,
  })).sort((a, b) => a.at - b.at);
}

function drawMovers(random: SeededRandom, others: readonly AttackPlan[], chains: readonly ChainPlan[]): AttackPlan[] {
  const destination = random.pick(callers(chains));
  return Array.from(
    { length: random.between(1, 3) },
    (_, n): AttackPlan => ({
      id: others.length + n,
      kind: 'poolMoving',
      at: random.between(500, BUSY_MS - 5_000),
      origin: random.pick(chains.filter(({ id }) => id !== destination)).id,
      destination,
      pays: random.pick(SYMBOLS),
      gets: POOL_TOKEN,
      value: random.between(5, 500) * 1_000_000,
      tradeType: random.pick(TRADE_TYPES),
    }),
  );
}

const SHOPPED = 0.35;
/** From the earliest final fills to the shops' last claims. */
const CLAIMS_MS = [8_000, 90_000] as const;

function drawShops(random: SeededRandom): Pick<Scenario, 'shops'> {
  if (!random.chance(SHOPPED)) return {};
  const shops = Array.from({ length: random.between(1, 2) }, (_, id): ShopPlan => {
    const at = Array.from({ length: random.between(4, 9) }, () => random.between(...CLAIMS_MS));
    return { id, feeBps: random.pick([10, 100, 1_500]), at: at.sort((a, b) => a - b) };
  });
  return { shops };
}

const QUIET = 0.35;
const PEACEFUL = 0.25;

const USUAL_ATTACKS = ATTACK_KINDS.filter((kind) => !POOL_ATTACKS.includes(kind));

function drawAttacks(random: SeededRandom, profile: Profile, chains: readonly ChainPlan[]): AttackPlan[] {
  // A profile's named kinds replace the default; one that names users or faults has none.
  const all = profile.attacks ?? (profile.users || profile.faults ? [] : USUAL_ATTACKS);
  if (all.length === 0 || (profile.attacks === undefined && random.chance(PEACEFUL))) return [];
  const kinds = swarm(random, all, 0.35);
  return Array.from({ length: random.between(3, 7) }, (_, id): AttackPlan => {
    const [from, to] = random.shuffled(chains.map((chain) => chain.id));
    return {
      id,
      kind: random.pick(kinds),
      at: random.between(500, BUSY_MS - 5_000),
      origin: from as number,
      destination: to as number,
      pays: random.pick(SYMBOLS),
      gets: random.pick(SYMBOLS),
      value: random.between(5, 500) * 1_000_000,
      tradeType: random.pick(TRADE_TYPES),
    };
  });
}

/** A deployer's limits; unattacked runs stay unchanged. */
function drawGuards(random: SeededRandom, attacks: readonly AttackPlan[], quiet: boolean): Partial<PolicyPlan> {
  if (attacks.length === 0) return {};
  return {
    dustMicroUsd: random.pick([0, 100_000]),
    ...(random.chance(0.3) ? { maxDailyUsd: 20_000 } : {}),
    ...(random.chance(0.5) ? { mostUnpaidQuotes: 4 } : {}),
    // Long enough for service in time.
    ...(quiet ? { orderTtlMs: 80_000 } : {}),
  };
}

function drawChains(random: SeededRandom, profile: Profile): ChainPlan[] {
  const count = random.chance(0.85) ? 2 : 3;
  return Array.from({ length: count }, (_, n) => ({
    id: FIRST_CHAIN + n,
    profile: random.pick(profile.profiles ?? PROFILES),
    blockTimeMs: random.pick([1_000, 2_000, 2_000, 3_000, 3_000]),
    finalityDepth: profile.irregular ? random.between(3, 6) : random.between(2, 5),
    acceptDepth: random.pick([0, 0, 1, 2]),
    ...(profile.irregular ? { irregular: true as const } : {}),
  })).map((chain) => (profile.vaults && chain.profile !== 'utxo' ? { ...chain, vault: true as const } : chain));
}

const SHARING = 0.6;

function sharing(random: SeededRandom, chains: readonly ChainPlan[], { attacks }: Profile): readonly ChainPlan[] {
  const all = attacks?.includes('shareSpoiling') === true;
  return chains.map((chain) =>
    chain.profile === 'nonce' && (random.chance(SHARING) || all) ? { ...chain, shares: true } : chain,
  );
}

const SHORTENED = 0.25;

function shortening(random: SeededRandom, chains: readonly ChainPlan[], profile: Profile): readonly ChainPlan[] {
  return chains.map((chain) =>
    random.chance(SHORTENED) || profile.shortForms ? { ...chain, orderIdBytes: random.pick([16, 20, 31]) } : chain,
  );
}

const OWNING = 0.35;

function owning(random: SeededRandom, chains: readonly ChainPlan[], isAttacked: boolean): readonly ChainPlan[] {
  if (!random.chance(OWNING) && !isAttacked) return chains;
  return chains.map((chain) => (chain.profile === 'nonce' ? { ...chain, own: true } : chain));
}

/** Only on request by a profile, so that other runs stay unchanged. */
function swappingIn(chains: readonly ChainPlan[]): readonly ChainPlan[] {
  return chains.map((chain) => (chain.profile === 'nonce' ? { ...chain, own: true, swapsIn: true } : chain));
}

function payingBySwap(
  random: SeededRandom,
  users: readonly UserPlan[],
  chains: readonly ChainPlan[],
): readonly UserPlan[] {
  const able = new Set(chains.filter(({ swapsIn }) => swapsIn).map(({ id }) => id));
  if (able.size === 0) return users;
  return users.map((user) => {
    if (!able.has(user.origin) || user.origin === user.destination || !random.chance(0.6)) return user;
    const gets = user.gets === POOL_TOKEN && random.chance(0.5) ? 'USDF' : user.gets;
    const swaps = user.swaps ?? {
      ...{ fallback: false, exact: false, measured: random.chance(0.2) },
      slippageBps: random.pick([20, 100, 500]),
    };
    return { ...user, pays: POOL_TOKEN, gets, swaps };
  });
}

/** Some users of such chains send or swap within one chain. */
function executing(
  random: SeededRandom,
  users: readonly UserPlan[],
  chains: readonly ChainPlan[],
  pooled: boolean,
): readonly UserPlan[] {
  const own = new Set(chains.filter((chain) => chain.own).map(({ id }) => id));
  if (own.size === 0) return users;
  return users.map((user) => {
    if (!own.has(user.origin) || !random.chance(0.3)) return user;
    const swaps = pooled && random.chance(0.6);
    const [pays, gets] = swaps ? [random.pick(POOL_SIDES), POOL_TOKEN] : [user.pays, user.pays];
    return { ...user, destination: user.origin, pays, gets };
  });
}

function drawPolicy(random: SeededRandom, { irregular }: Profile): PolicyPlan {
  return {
    orderTtlMs: random.pick(irregular ? [20_000, 40_000, 80_000] : [10_000, 20_000, 40_000]),
    inclusionWindowMs: random.pick([10_000, 20_000]),
    fillConfirmations: random.pick([1, 1, 2]),
    gasReserveFills: random.pick([0, 2]),
    maxUnfinalUsd: random.pick([null, null, 3_000]),
    confirmationTimeoutMs: random.pick([5_000, 20_000, 60_000]),
  };
}

function drawUsers(random: SeededRandom, profile: Profile, chains: readonly ChainPlan[]): UserPlan[] {
  const kinds = swarm(random, profile.users ?? usersOf(chains), 0.6);
  const [least, most] = profile.requests ?? [20, 24];
  // One-way traffic separates paying lanes from receiving ones.
  const oneWay = random.chance(0.2);
  return Array.from({ length: random.between(least, most) }, (_, id): UserPlan => {
    const ids = chains.map((chain) => chain.id);
    const [from, to] = oneWay ? ids : random.shuffled(ids);
    return {
      id,
      // Half of all users are honest: failures must occur among served users.
      kind: random.chance(0.5) ? 'honest' : random.pick(kinds),
      at: random.between(0, BUSY_MS),
      origin: from as number,
      destination: to as number,
      pays: random.pick(SYMBOLS),
      gets: random.pick(SYMBOLS),
      value: random.between(5, 500) * 1_000_000,
      tradeType: random.pick(TRADE_TYPES),
    };
  });
}

const STAYING = 0.25;

function staying(random: SeededRandom, users: readonly UserPlan[]): readonly UserPlan[] {
  if (!random.chance(STAYING)) return users;
  return users.map((user) => (random.chance(0.4) ? { ...user, destination: user.origin } : user));
}

const FIXING = 0.35;

function drawFixedRate(random: SeededRandom, isAttacked: boolean): Pick<PolicyPlan, 'fixedRate'> {
  if (!random.chance(FIXING) && !isAttacked) return {};
  const perKey = random.pick([600, 1_500]) * 1_000_000;
  return {
    fixedRate: { validityMs: random.pick([10_000, 20_000, 30_000]), perKey, all: random.pick([1, 2]) * perKey },
  };
}

/** Pool swaps have no fixed rate. */
function fixing(random: SeededRandom, users: readonly UserPlan[]): readonly UserPlan[] {
  return users.map((user) =>
    user.gets !== POOL_TOKEN && random.chance(0.3) ? { ...user, fixed: true as const } : user,
  );
}

const ADDRESSING = 0.7;

/** An open address quotes each transfer when it comes, without extras. */
function addressing(random: SeededRandom, users: readonly UserPlan[]): readonly UserPlan[] {
  return users.map((user): UserPlan => {
    const { pays, gets, topUp, coinForCall, fixed, swaps } = user;
    if (pays === POOL_TOKEN || gets === POOL_TOKEN || swaps !== undefined || !random.chance(ADDRESSING)) return user;
    const isPlain = topUp === undefined && coinForCall === undefined && fixed === undefined;
    if (!isPlain || random.chance(0.5)) return { ...user, address: { type: 'strict', refunds: true } };
    return { ...user, tradeType: 'EXACT_INPUT', address: { type: 'open', refunds: random.chance(0.7) } };
  });
}

function recovering(random: SeededRandom, users: readonly UserPlan[]): readonly UserPlan[] {
  return users.map((user) => {
    const { address } = user;
    return address === undefined || random.chance(0.4) ? user : { ...user, address: { ...address, recovers: true } };
  });
}

const TOPPED_UP = 0.4;

/** Native outputs need no top-up. */
function toppedUp(random: SeededRandom, users: readonly UserPlan[]): readonly UserPlan[] {
  if (!random.chance(TOPPED_UP)) return users;
  return users.map((user) => {
    const topUp = Math.min(MAX_TOP_UP, Math.floor(user.value / random.pick([4, 8, 20])));
    return user.gets === 'FAKE' || !random.chance(0.5) ? user : { ...user, topUp };
  });
}

const CALLING = 0.5;

function calling(random: SeededRandom, users: readonly UserPlan[], chains: readonly ChainPlan[]): readonly UserPlan[] {
  return users.map((user) => {
    const makes = chains.some(({ id, profile }) => id === user.destination && profile === 'nonce');
    // A swapped fill has no top-up.
    const fits = user.topUp !== undefined && user.swaps === undefined && user.gets !== POOL_TOKEN;
    return fits && makes && random.chance(CALLING) ? { ...user, coinForCall: random.pick([1, 1_000]) } : user;
  });
}

function hasPool(chains: readonly ChainPlan[]): boolean {
  return chains.some(({ profile }) => profile === 'utxo');
}

function usersOf(chains: readonly ChainPlan[]): readonly UserKind[] {
  return hasPool(chains) ? USER_KINDS : USER_KINDS.filter((kind) => !POOL_USERS.includes(kind));
}

function drawFaults(random: SeededRandom, profile: Profile, chains: readonly ChainPlan[]): FaultPlan[] {
  const kinds = swarm(random, profile.faults ?? possible(chains), 0.25);
  const counted = kinds.flatMap((kind) => Array.from({ length: random.between(1, MAX_OF[kind] ?? 2) }, () => kind));
  return [...counted, ...(profile.also ?? [])].map((kind, id) => ({
    id,
    kind,
    at: random.between(2_000, BUSY_MS + 5_000),
    ms: random.between(1_000, 10_000),
    chain: random.pick(hitBy(kind, chains)).id,
  }));
}

/**
 * Fault kinds of these chains. A UTXO transaction that fails in every block waits in the pool forever, so a lost one
 * halts its lane until an operator acts. Forks and account faults concern expiring-message chains.
 */
function possible(chains: readonly ChainPlan[]): readonly FaultKind[] {
  const byInputs = hasPool(chains);
  const byMessages = chains.some(({ profile }) => profile === 'expiring');
  return FAULT_KINDS.filter((kind) => {
    // Only with a screener, so that other runs stay unchanged.
    if (kind === 'screeningDown') return false;
    if (kind === 'restoredInFlight') return !byInputs;
    if (POOL_FAULTS.includes(kind)) return byInputs;
    return byMessages || (kind !== 'droppedForks' && kind !== 'accountsClosed');
  });
}

function hitBy(kind: FaultKind, chains: readonly ChainPlan[]): readonly ChainPlan[] {
  const byMessages = chains.filter(({ profile }) => profile === 'expiring');
  const byInputs = chains.filter(({ profile }) => profile === 'utxo');
  if (POOL_FAULTS.includes(kind)) return byInputs.length > 0 ? byInputs : chains;
  return (kind === 'droppedForks' || kind === 'accountsClosed') && byMessages.length > 0 ? byMessages : chains;
}

const MAX_OF: Partial<Record<FaultKind, number>> = {
  crash: 4,
  depositReorg: 5,
  fillReorg: 4,
  restoredDatabase: 1,
  restoredTwins: 1,
  restoredInFlight: 1,
};

/** A random subset of at least three. */
function swarm<T>(random: SeededRandom, all: readonly T[], share: number): T[] {
  const shuffled = random.shuffled(all);
  const count = Math.round(all.length * share * (0.5 + random.fraction()));
  return shuffled.slice(0, Math.max(Math.min(MIN_FAULTS, all.length), Math.min(all.length, count)));
}

/** The same run without some users and faults. */
export function without(
  scenario: Scenario,
  leave: {
    readonly users?: ReadonlySet<number>;
    readonly faults?: ReadonlySet<number>;
    readonly attacks?: ReadonlySet<number>;
  },
): Scenario {
  return {
    ...scenario,
    users: scenario.users.filter(({ id }) => !leave.users?.has(id)),
    faults: scenario.faults.filter(({ id }) => !leave.faults?.has(id)),
    ...(scenario.attacks ? { attacks: scenario.attacks.filter(({ id }) => !leave.attacks?.has(id)) } : {}),
  };
}
