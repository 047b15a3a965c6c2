import type { SeededRandom } from '../../seeded-random.js';
import type { FaultPlan } from '../scenario.js';
import type { ServiceProcess } from '../service-process.js';
import type { World } from '../world.js';

const RETRY_DELAY_MS = 1_000;
const COMMAND_TIMEOUT_MS = 5_000;

type Command = (world: World, process: ServiceProcess, random: SeededRandom) => Promise<string> | undefined;

/** Commands without a recipient; the service refuses unsafe ones. */
const COMMANDS: readonly Command[] = [
  (world, { engine }, random) => {
    const request = pickOf(random, [...world.ledger.rows('requests')]);
    return (
      request && engine.refundRequest(request.id).then((said) => `refund ${request.id}: ${said.ok} ${said.message}`)
    );
  },
  (world, { engine }, random) => {
    const hold = pickOf(random, [...world.ledger.rows('holds')]);
    return hold && engine.releaseHold(hold.id).then((said) => `release ${hold.id}: ${said.ok} ${said.message}`);
  },
  (world, { engine }, random) => {
    const lane = pickOf(random, [...world.ledger.rows('lanes')]);
    return (
      lane &&
      engine.resumeLane(lane.chainId, lane.signer).then((said) => `resume ${lane.id}: ${said.ok} ${said.message}`)
    );
  },
];

export async function operatorCommand(world: World, plan: FaultPlan, random: SeededRandom): Promise<void> {
  const until = world.clock.monotonic() + plan.ms;
  while (world.clock.monotonic() < until) {
    const process = pickOf(random, world.running);
    const command = random.pick(COMMANDS);
    const said = process && command(world, process, random);
    if (said) {
      const heard = await Promise.race([
        said.catch((error: unknown) => `failed: ${String(error)}`),
        world.clock.sleep(COMMAND_TIMEOUT_MS).then(() => 'no answer'),
      ]);
      world.struck('operatorCommand', heard);
    }
    await world.clock.sleep(random.between(0, 2 * RETRY_DELAY_MS));
  }
}

function pickOf<T>(random: SeededRandom, all: readonly T[]): T | undefined {
  return all.length === 0 ? undefined : random.pick(all);
}
