import type { SeededRandom } from '../../seeded-random.js';
import type { FaultKind, FaultPlan } from '../scenario.js';
import type { World } from '../world.js';

/** An operator waits this long for what is under way before an old database is put back. */
const POOLS_MS = 30_000;
const ARRIVAL_MS = 10_000;
const STARTING_MS = 5_000;

/** An old database is put back: what was committed since is lost, what was sent since is not. */
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
  // Not of another history: what that one had signed and not sent yet, the present one could not know of.
  const possible = world.isAncestor(snapshot) && (kind === 'restoredInFlight' || poolsAreEmpty(world));
  if (possible) {
    world.struck(kind, `as of ${snapshot.at}`);
    world.restore(snapshot, [...world.promises.keys()].slice(known));
    // What waits where no pool shows it is found only by who was told.
    if (kind === 'restoredInFlight') await world.markRestored();
  }
  if (kind !== 'restoredTwins' || !possible) return world.want(1);
  await startTwo(world, plan, random);
}

/** Two processes start together and share the leases; one of them may not reach the chain of its lane for a while. */
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

/** What was sent and is neither included nor known to the old database is nobody's to see. */
async function untilArrived(world: World): Promise<void> {
  for (let waited = 0; waited < POOLS_MS && !poolsAreEmpty(world); waited += 500) await world.clock.sleep(500);
  // And what was included may take effect blocks later.
  await world.clock.sleep(ARRIVAL_MS);
}

function poolsAreEmpty(world: World): boolean {
  return [...world.chains.values()].every((chain) => chain.pool().length === 0);
}
