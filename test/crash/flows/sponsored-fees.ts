import { type Integrator, linkIntegrator } from '../../support/app-balance.js';
import type { Order, World } from '../../support/world.js';
import type { Flow } from '../flow.js';
import type { Scene } from '../scene.js';
import { BALANCE, balances } from './app-balances.js';
import { goesAndReturns } from './chains.js';
import { deposit, ended, tokenOrder } from './orders.js';

/** Micro-USD that the app balance pays for the order, by its quote; the origin currency is a stablecoin. */
function sponsoredBy({ quote }: Order): bigint {
  const { feeSponsorship } = quote as unknown as {
    readonly feeSponsorship: { readonly quoted: { readonly sponsoredTotal: { readonly amount: string } } };
  };
  return BigInt(feeSponsorship.quoted.sponsoredTotal.amount);
}

async function sponsoredOrder(world: World): Promise<Order> {
  const order = await tokenOrder(world, { usd: '40', keyed: true, body: { subsidizeFees: true } });
  if (sponsoredBy(order) === 0n) throw new Error('the quote has no sponsored fees');
  return order;
}

const paidOnce = (world: World, integrator: Integrator, order: Order) => async (scene: Scene) =>
  (await scene.filled(order)) &&
  (await ended(order, 'success')(scene)) &&
  (await balances(world, integrator, BALANCE - sponsoredBy(order)));

/** Reserved before the fill, and taken once when it is final. */
export const sponsoredFill: Flow = {
  name: 'fill with sponsored fees',
  prepare: async (world) => {
    const [integrator, order] = [await linkIntegrator(world, BALANCE), await sponsoredOrder(world)];
    return {
      act: async () => {
        await deposit(order);
      },
      done: paidOnce(world, integrator, order),
    };
  },
};

/** The reservation ends with the deposit that left the chain; the fill of the one that returned is taken once. */
export const reorgedSponsoredFill: Flow = {
  name: 'fill with sponsored fees of a reorged deposit',
  prepare: async (world) => {
    const [integrator, order] = [await linkIntegrator(world, BALANCE), await sponsoredOrder(world)];
    return {
      act: async (scene) => {
        const hash = await deposit(order);
        await scene.fillOf(order);
        await goesAndReturns(scene, world, order, hash);
      },
      done: paidOnce(world, integrator, order),
    };
  },
};
