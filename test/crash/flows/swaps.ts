import { parseEther } from 'viem';
import { movePool, type PoolOf } from '../../support/venues.js';
import type { Order, World } from '../../support/world.js';
import type { Flow } from '../flow.js';
import { deposit, ended, usd } from './orders.js';

const GOV = 'GOV';

function swapOrder(world: World): Promise<Order> {
  return world.order({ amount: parseEther('0.2'), output: GOV });
}

export const swapInFill: Flow = {
  name: 'swap in a fill',
  venues: true,
  prepare: async (world) => {
    const order = await swapOrder(world);
    return {
      act: async () => void (await deposit(order)),
      done: async (scene) => (await scene.filled(order)) && ended(order, 'success')(scene),
    };
  },
};

async function movePools({ b: chain }: World): Promise<void> {
  const pools: readonly (readonly [PoolOf, bigint])[] = [
    [{ chain, symbols: ['WETH', GOV] }, parseEther('2000')],
    [{ chain, symbols: ['USDC', GOV], fee: 3_000 }, usd('4000000')],
  ];
  for (const [pool, amount] of pools) await movePool(pool, amount);
}

export const movedPools: Flow = {
  name: 'refund of a swap whose pools moved',
  venues: true,
  prepare: async (world) => {
    const order = await swapOrder(world);
    return {
      act: async () => {
        await movePools(world);
        await deposit(order);
      },
      done: async (scene) => (await scene.refunded(order)) && ended(order, 'refund')(scene),
    };
  },
};
