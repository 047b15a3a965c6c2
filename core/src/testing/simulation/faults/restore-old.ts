import type { SeededRandom } from '../../seeded-random.js';
import type { FaultKind, FaultPlan } from '../scenario.js';
import type { World } from '../world.js';

/** The operator waits this long for pending sends before a restore. */
const POOLS_MS = 30_000;
const ARRIVAL_MS = 10_000;
const STARTING_MS = 5_000;

/** Restores an old database: later commits are lost, later sends are not. */
export async function restoreOld(
  world: World,
  plan: FaultPlan,
  random: SeededRandom,
  kind: Extract<FaultKind, `restored${string}`>,
): Promise<void> {
  const snapshot = world.snapshot();
  const known = world.promises.size;
  await world.clock.sleep(plan.ms + random.between(0, 20_000));
  world.want(0);
  for (const process of world.alive) world.kill(process);
  if (kind === 'restoredInFlight') await world.clock.sleep(random.between(0, 5_000));
  else await untilArrived(world);
  // Not from another history, whose unsent signatures the present one cannot know.
  const possible = world.isAncestor(snapshot) && (kind === 'restoredInFlight' || poolsAreEmpty(world));
  if (possible) {
    world.struck(kind, `as of ${snapshot.at}`);
    world.restore(snapshot, [...world.promises.keys()].slice(known));
    // Sends that no pool shows are found only if restore mode is set.
    if (kind === 'restoredInFlight') await world.markRestored();
  }
  if (kind !== 'restoredTwins' || !possible) return world.want(1);
  await startTwo(world, plan, random);
}

/** Two processes share the leases; one may lose access to its lane's chain temporarily. */
async function startTwo(world: World, plan: FaultPlan, random: SeededRandom): Promise<void> {
  const chain = world.chain(plan.chain);
  world.contest(chain.id);
  world.want(2);
  const down = random.chance(0.7);
  for (const provider of chain.providers) provider.down ||= down;
  world.note('restoredTwins', `start, chain ${chain.id} is ${down ? 'down' : 'up'}`);
  await world.clock.sleep(STARTING_MS + plan.ms);
  for (const provider of chain.providers) provider.down &&= !down;
  await world.clock.sleep(STARTING_MS);
  world.want(1);
  const [, second] = world.alive;
  if (second) world.kill(second);
}

/** Unincluded sends that the old database lacks are invisible. */
async function untilArrived(world: World): Promise<void> {
  for (let waited = 0; waited < POOLS_MS && !poolsAreEmpty(world); waited += 500) await world.clock.sleep(500);
  // Effects may follow inclusion by some blocks.
  await world.clock.sleep(ARRIVAL_MS);
}

function poolsAreEmpty(world: World): boolean {
  return [...world.chains.values()].every((chain) => chain.pool().length === 0);
}
