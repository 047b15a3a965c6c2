import type { HoldRow } from '../../../contract/store-rows.js';
import { isInNoBook } from '../../../engine/operator/release-hold.js';
import type { SeededRandom } from '../../seeded-random.js';
import type { FaultPlan } from '../scenario.js';
import type { ServiceProcess } from '../service-process.js';
import type { World } from '../world.js';

const RETRY_DELAY_MS = 1_000;
const COMMAND_TIMEOUT_MS = 5_000;

type Command = (world: World, process: ServiceProcess, random: SeededRandom) => Promise<string> | undefined;

/** Without a recipient, except where the client of a deposit address named none; the service refuses unsafe ones. */
const COMMANDS: readonly Command[] = [
  (world, { engine }, random) => {
    const request = pickOf(random, [...world.ledger.rows('requests')]);
    return (
      request && engine.refundRequest(request.id).then((said) => `refund ${request.id}: ${said.ok} ${said.message}`)
    );
  },
  (world, process, random) => {
    const hold = pickOf(random, [...world.ledger.rows('holds')]);
    return hold && release(world, process, hold);
  },
  (world, { engine }, random) => {
    const lane = pickOf(random, [...world.ledger.rows('lanes')]);
    return (
      lane &&
      engine.resumeLane(lane.chainId, lane.signer).then((said) => `resume ${lane.id}: ${said.ok} ${said.message}`)
    );
  },
];

async function release(world: World, { engine }: ServiceProcess, hold: HoldRow): Promise<string> {
  const said = await engine.releaseHold(hold.id);
  if (isInNoBook(hold)) {
    const left = await engine.releaseHold(hold.id, undefined, true);
    return `release ${hold.id}: ${said.ok} ${said.message}; unpaid: ${left.ok} ${left.message}`;
  }
  const to = said.ok ? undefined : payeeOf(world, hold);
  if (to === undefined) return `release ${hold.id}: ${said.ok} ${said.message}`;
  world.watch(hold.chainId).named.set(hold.fundingKey, to);
  const again = await engine.releaseHold(hold.id, to);
  return `release ${hold.id} to ${to}: ${again.ok} ${again.message}`;
}

/** After a restore only the chains show what was paid already. */
function payeeOf(world: World, { chainId, fundingKey }: HoldRow): string | undefined {
  const watch = world.watch(chainId);
  const promise = watch.promiseAt(watch.places.get(fundingKey) ?? '');
  return world.restored || promise?.address?.refunds !== false ? undefined : promise.payer;
}

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
