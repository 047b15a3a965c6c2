import type { SeededRandom } from '../seeded-random.js';
import { BUSY_MS, POOL_TOKEN, SYMBOLS } from './drawn-values.js';
import { EVERY_INTEGRATOR, KEYS } from './integrators.js';
import {
  type BalancePlan,
  CALLEES,
  type ChainPlan,
  type LimitPlan,
  type RawCallPlan,
  type Scenario,
  type UserPlan,
} from './scenario.js';

const WISHING = 0.75;
/** A fast fill needs a deposit that is not deep enough by itself. */
const DEPTHS = [1, 2, 2, 3] as const;

export function callingForOthers(random: SeededRandom, chains: readonly ChainPlan[]): readonly ChainPlan[] {
  return chains.map((chain) => {
    const acceptDepth = Math.min(chain.finalityDepth, random.pick(DEPTHS));
    return chain.profile === 'nonce' ? { ...chain, acceptDepth, calls: true as const } : chain;
  });
}

/** Pools and fixed rates stay as they are. */
export function gaslessly(
  random: SeededRandom,
  users: readonly UserPlan[],
  chains: readonly ChainPlan[],
): readonly UserPlan[] {
  const able = new Set(chains.filter(({ calls }) => calls).map(({ id }) => id));
  return users.map((user): UserPlan => {
    const isPlain = user.fixed === undefined && user.swaps === undefined && user.address === undefined;
    if (!isPlain || !able.has(user.origin) || !random.chance(WISHING)) return user;
    if ([user.pays, user.gets].includes(POOL_TOKEN)) return user;
    // Its payer executes it, by a wallet.
    if (user.origin === user.destination)
      return { ...user, keyed: true, gasless: { by: 'call', sponsored: false, fast: false } };
    const drawn = random.pick(['permit', 'permit', 'call', 'payer', 'payer'] as const);
    const by = drawn === 'permit' && user.pays === 'FAKE' ? 'call' : drawn;
    return { ...user, keyed: true, gasless: { by, sponsored: random.chance(0.5), fast: random.chance(0.5) } };
  });
}

const CALLS = [4, 10] as const;
const PAYMENTS = [3, 8] as const;

export function drawGasless(random: SeededRandom, chains: readonly ChainPlan[]): NonNullable<Scenario['gasless']> {
  const able = chains.filter(({ calls }) => calls).map(({ id }) => id);
  if (able.length === 0) return { calls: [], balances: [] };
  const calls = Array.from(
    { length: random.between(...CALLS) },
    (_, id): RawCallPlan => ({
      ...{ id, at: random.between(1_000, BUSY_MS), chain: random.pick(able), key: random.between(0, KEYS - 1) },
      ...{ callee: random.pick(CALLEES), repeats: random.chance(0.5) },
    }),
  );
  const least = EVERY_INTEGRATOR.map((integrator): BalancePlan => {
    const value = random.pick([1, 50, 2_000]) * 1_000_000;
    return { id: integrator, at: 0, chain: random.pick(able), integrator, names: 'id', pays: 'USDF', value };
  });
  const more = Array.from(
    { length: random.between(...PAYMENTS) },
    (_, n): BalancePlan => ({
      ...{ id: least.length + n, at: random.between(0, BUSY_MS), chain: random.pick(able) },
      ...{ integrator: random.pick(EVERY_INTEGRATOR), names: random.pick(['id', 'id', 'address', 'neither'] as const) },
      ...{ pays: random.chance(0.8) ? 'USDF' : random.pick(SYMBOLS), value: random.between(1, 800) * 1_000_000 },
    }),
  );
  return { calls, balances: [...least, ...more], limits: drawLimits(random.fork('limits')) };
}

/** Micro-USD; a call reserves about 100,000. */
const [PER_CALL, PER_USER, PER_DAY] = [
  [90_000, 3_000_000],
  [120_000, 2_000_000],
  [250_000, 1_000_000, 20_000_000],
] as const;

/** Half of the keys have a policy. */
function drawLimits(random: SeededRandom): readonly LimitPlan[] {
  return Array.from({ length: KEYS }, (_, key) => key).flatMap((key): readonly LimitPlan[] => {
    if (!random.chance(0.5)) return [];
    const drawn = <T>(chance: number, values: readonly T[]) =>
      random.chance(chance) ? random.pick(values) : undefined;
    const [call, user, day] = [drawn(0.3, PER_CALL), drawn(0.4, PER_USER), drawn(0.7, PER_DAY)];
    return [
      {
        key,
        ...(call === undefined ? {} : { maxPerCall: call }),
        ...(user === undefined ? {} : { maxPerUser: user }),
        ...(day === undefined ? {} : { maxPerDay: day }),
      },
    ];
  });
}
