import type { SeededRandom } from '../seeded-random.js';
import { EVERY_INTEGRATOR, keysOf } from './integrators.js';
import type { ChainPlan, EndpointAct, EndpointPlan, Mood, Profile, UserPlan } from './scenario.js';

const REPORTED = 0.5;
/** Users arrive within this time; endpoints and owners act slightly longer. */
const BUSY_MS = 40_000;

const FINAL = ['success', 'failure', 'refund', 'fallback'];
/** Receivers that unsubscribed get no events, so few are drawn, and late. */
const MOODS: readonly Mood[] = ['well', 'failing', 'failing', 'hanging', 'slow', 'losing', 'losing', 'mixed', 'mixed'];
const ACTS: readonly EndpointAct[] = ['change', 'rotate', 'replay', 'replay', 'test', 'disable', 'enable'];

/** Separate draws, so that nothing else about a run depends on them. */
export function drawEndpoints(
  random: SeededRandom,
  profile: Profile,
  chains: readonly ChainPlan[],
): readonly EndpointPlan[] {
  if (profile.endpoints === false || (!random.chance(REPORTED) && profile.endpoints !== true)) return [];
  const registered = random.between(0, 2);
  const configured = registered === 0 ? random.between(1, 2) : random.between(0, 1);
  return Array.from({ length: configured + registered }, (_, id): EndpointPlan => {
    const moods = drawMoods(random);
    if (id < configured)
      return { id, integrator: null, at: 0, statuses: [], chains: [], keys: [], moods, acts: [], returns: false };
    const integrator = random.pick(EVERY_INTEGRATOR);
    return {
      ...{ id, integrator, at: random.between(0, BUSY_MS / 2), moods },
      statuses: random.chance(0.25) ? FINAL : [],
      chains: random.chance(0.25) ? [random.pick(chains).id] : [],
      keys: random.chance(0.25) ? [random.pick(keysOf(integrator))] : [],
      acts: drawActs(random),
      returns: random.chance(0.6),
    };
  });
}

function drawMoods(random: SeededRandom): EndpointPlan['moods'] {
  const moods = Array.from({ length: random.between(1, 6) }, () => ({
    at: random.between(0, BUSY_MS),
    mood: random.pick(MOODS),
  }));
  const end = random.chance(0.15) ? [{ at: random.between(BUSY_MS / 4, BUSY_MS), mood: 'gone' as const }] : [];
  return [...moods, ...end].sort((a, b) => a.at - b.at);
}

function drawActs(random: SeededRandom): EndpointPlan['acts'] {
  const acts = Array.from({ length: random.between(0, 5) }, () => ({
    at: random.between(BUSY_MS / 4, BUSY_MS + 10_000),
    act: random.pick(ACTS),
  })).sort((a, b) => a.at - b.at);
  const end = random.chance(0.2) ? [{ at: random.between(BUSY_MS / 2, BUSY_MS + 10_000), act: 'remove' as const }] : [];
  return [...acts.filter(({ at }) => at < (end[0]?.at ?? Number.POSITIVE_INFINITY)), ...end];
}

/** Separate draws. Most users have a key, otherwise few events would have a receiver. */
export function keying(random: SeededRandom, users: readonly UserPlan[]): readonly UserPlan[] {
  return users.map((user) => (random.chance(0.6) ? { ...user, keyed: true as const } : user));
}
