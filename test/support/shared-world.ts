import { beforeAll, type RunnerTask } from 'vitest';
import { NATIVE, type TestChain } from './chain.js';
import { tail } from './service.js';
import { until } from './until.js';
import { newAddress } from './wallet.js';
import { World } from './world.js';

/** Between files. A lane without isolation loads this module once per worker, whose files run one after the other. */
let unused: World | undefined;

/**
 * Gives a file the world that other files of its worker use before and after it: two chains without pools, and a
 * service.
 *
 * Such a file brings its own accounts, asserts only on its own requests, and neither stops or configures the service
 * nor removes blocks. `verdict` judges all files of the world so far.
 *
 * A failed file ends its world, so that the next one is not judged by what it left.
 *
 * @param use before the file's tests.
 */
export function sharedWorld(use: (world: World) => Promise<void> | void): void {
  // biome-ignore lint/correctness/noEmptyPattern: Vitest reads the names of fixtures from it.
  beforeAll(async ({}, file) => {
    const world = (await handedOver()) ?? (await started());
    try {
      await use(world);
    } catch (error) {
      await world.close();
      throw error;
    }
    return async () => {
      if (failed(file)) await world.close();
      else unused = world;
    };
  });
}

async function started(): Promise<World> {
  const world = await World.start();
  world.service.share();
  return world;
}

async function handedOver(): Promise<World | undefined> {
  const world = unused;
  if (world === undefined) return undefined;
  unused = undefined;
  try {
    if (!world.service.alive) throw new Error('the shared service ended after the last file');
    // Without recent blocks there are no quotes.
    await until('the shared service quotes between both chains', async () => {
      await Promise.all(world.chains.map((chain) => chain.mine()));
      return (await isQuoted(world, world.a, world.b)) && (await isQuoted(world, world.b, world.a));
    });
    return world;
  } catch (error) {
    await world.close();
    throw new Error(`${(error as Error).message}\nthe service said:\n${tail(world.service.output)}`);
  }
}

async function isQuoted({ rest }: World, from: TestChain, to: TestChain): Promise<boolean> {
  const body = {
    ...{ user: newAddress(), originChainId: from.id, destinationChainId: to.id },
    ...{ originCurrency: NATIVE, destinationCurrency: NATIVE, amount: `${10n ** 17n}`, tradeType: 'EXACT_INPUT' },
  };
  return (await rest.call('POST', '/price', { body })).status === 200;
}

const failed = (task: RunnerTask): boolean =>
  task.result?.state === 'fail' || (task.type === 'suite' && task.tasks.some(failed));
